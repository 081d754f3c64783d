// A conversation with a loaded model: messages in, streamed text out. Knows no terminal.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "text/model_text.h"

namespace invar {

struct AnswerOptions {
  SamplingParams sampling;
  int64_t max_tokens = 0;
};

enum class AnswerEnd { kStop, kLength, kInterrupted };

struct Answer {
  std::string text;
  AnswerEnd end = AnswerEnd::kStop;
  int64_t prompt_tokens = 0;
  int64_t answer_tokens = 0;
  double first_token_seconds = 0;  // from the request to its first token
  double seconds = 0;              // from the request to its last
};

class Conversation {
 public:
  // Both must outlive it. Without a chat template, the prompt is the last message's text alone.
  Conversation(Engine& engine, const ModelText& text) : engine_(engine), text_(text) {}

  void set_system(std::string content);
  void reset();  // forgets all but the system message
  // Messages as a chat template takes them: a list of {role, content}.
  const nlohmann::ordered_json& messages() const { return messages_; }
  // Replaces the messages. Throws if they are no such list, with roles 'system', 'user' and
  // 'assistant' and contents that are strings; `label` begins the error, which names the place.
  void set_messages(const std::string& label, nlohmann::ordered_json messages);

  struct Callbacks {
    std::function<void(std::string_view)> on_text;  // whole characters only
    std::function<bool()> interrupted;              // polled often; true ends the answer
  };
  // Adds the user's message and the answer. On an error neither is kept. An interrupted answer is
  // kept as far as it came, and the exchange is not where nothing came.
  Answer ask(std::string user, const AnswerOptions& options, const Callbacks& callbacks);

 private:
  std::vector<int32_t> prompt_ids() const;

  Engine& engine_;
  const ModelText& text_;
  nlohmann::ordered_json messages_ = nlohmann::ordered_json::array();
};

}  // namespace invar
