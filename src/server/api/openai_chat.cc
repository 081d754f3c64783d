// POST /v1/chat/completions: messages through the model's template, answers as messages.
#include <ctime>
#include <utility>

#include "core/error.h"
#include "server/api/client_text.h"
#include "server/api/endpoints.h"
#include "server/api/generation.h"
#include "server/api/logprobs.h"

namespace invar {
namespace {

using Json = nlohmann::ordered_json;

class ChatForm final : public AnswerForm {
 public:
  explicit ChatForm(bool logprobs) : logprobs_(logprobs) {}

  const Names& names() const override {
    static constexpr Names kNames{.id_prefix = "chatcmpl-",
                                  .object = "chat.completion",
                                  .stream_object = "chat.completion.chunk"};
    return kNames;
  }

  std::optional<Json> opening(int32_t choice) const override {
    return choice_json({.choice = choice}, "delta", {{"role", "assistant"}, {"content", ""}});
  }

  Json streamed(const AnswerPiece& piece) const override {
    Json delta = Json::object();
    if (!piece.text.empty()) {
      delta["content"] = piece.text;
    }
    return choice_json(piece, "delta", std::move(delta));
  }

  Json whole(const AnswerPiece& answer) const override {
    return choice_json(answer, "message",
                       {{"role", "assistant"}, {"content", answer.text}, {"refusal", nullptr}});
  }

 private:
  Json choice_json(const AnswerPiece& piece, const char* key, Json message) const {
    const bool whole = piece.finish != FinishReason::kNone || !piece.tokens.empty();
    Json choice;
    choice["index"] = piece.choice;
    choice[key] = std::move(message);
    choice["logprobs"] = nullptr;
    if (logprobs_ && whole) {
      choice["logprobs"] = chat_logprobs(piece.tokens);
    }
    choice["finish_reason"] = finish_json(piece.finish);
    return choice;
  }

  bool logprobs_;
};

std::vector<int32_t> prompt_ids(const ApiContext& context, const std::stop_token& gone,
                                const std::vector<ChatMessage>& messages) {
  ChatTemplate::Request request;
  for (const ChatMessage& message : messages) {
    Json json{{"role", message.role}, {"content", message.content}};
    if (message.name) {
      json["name"] = *message.name;
    }
    request.messages.push_back(std::move(json));
  }
  request.label = "messages: the chat template";
  request.now = local_civil_time(std::time(nullptr));
  request.stop = gone;
  // The template writes the special tokens itself.
  return encode_client_text(context, "messages", context.model.text->chat_template->render(request),
                            {.stop = gone});
}

}  // namespace

std::unique_ptr<HttpTask> chat_completions(const ApiContext& context, ApiCall& call) {
  const ServedModel& model = context.model;
  ChatRequest request = parse_chat_request(
      parse_body(call.request), {.choices_max = model.choices_max, .vocabulary = model.vocabulary});
  if (const auto refused = refuse_model(context, request.generation.model)) {
    return ready_error(*refused);
  }
  call.blame = "messages";
  if (!model.text->chat_template) {
    fail(Code::kUnsupported, "the model has no chat template: use /v1/completions");
  }
  GenerationStart start{.fields = std::move(request.generation),
                        .prompts = {prompt_ids(context, call.gone, request.messages)},
                        .max_tokens_default = model.context_positions,
                        .prompt_field = "messages"};
  start.form = std::make_unique<ChatForm>(start.fields.sampling.logprobs);
  return start_generation(context, call, std::move(start));
}

}  // namespace invar
