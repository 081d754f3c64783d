// From a parsed request to its answer over HTTP, whole or as a stream of events: what chat and
// completions share. How a choice looks in JSON is the endpoint's own, an AnswerForm.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "server/answer.h"
#include "server/api/api_context.h"
#include "server/api/openai_request.h"

namespace invar {

class AnswerForm {
 public:
  struct Names {
    std::string_view id_prefix;      // "chatcmpl-"
    std::string_view object;         // "chat.completion"
    std::string_view stream_object;  // "chat.completion.chunk"
  };
  virtual ~AnswerForm() = default;
  virtual const Names& names() const = 0;
  // What a stream says of a choice before its first piece; empty: nothing.
  virtual std::optional<nlohmann::ordered_json> opening(int32_t choice) const = 0;
  virtual nlohmann::ordered_json streamed(const AnswerPiece& piece) const = 0;
  // `answer`: all pieces of a choice as one.
  virtual nlohmann::ordered_json whole(const AnswerPiece& answer) const = 0;
};

struct GenerationStart {
  GenerationFields fields;
  std::vector<std::vector<int32_t>> prompts;  // at least one
  AnswerText text = AnswerText::kAfresh;
  int64_t max_tokens_default = 0;  // where the request names none
  std::string prompt_field = {};   // to blame where a prompt does not fit
  std::unique_ptr<AnswerForm> form = {};
};

// What a message calls prompt `index` of `count`: the field, with a number if there are several.
std::string prompt_name(std::string_view field, size_t count, size_t index);

// Queues each prompt; a reply that refuses all where one cannot be queued. Choice c of prompt p has
// the index p * n + c, and is the answer that the prompt alone would get. Errors: as engine.submit.
std::unique_ptr<HttpTask> start_generation(const ApiContext& context, ApiCall& call,
                                           GenerationStart start);

// "stop", "length", or null.
nlohmann::ordered_json finish_json(FinishReason reason);

}  // namespace invar
