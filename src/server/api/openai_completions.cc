// POST /v1/completions: a prompt as it is, and what follows it.
#include <utility>

#include "server/api/client_text.h"
#include "server/api/endpoints.h"
#include "server/api/generation.h"
#include "server/api/logprobs.h"

namespace invar {
namespace {

using Json = nlohmann::ordered_json;

// OpenAI's default, which clients rely on.
constexpr int64_t kMaxTokensDefault = 16;

class CompletionForm final : public AnswerForm {
 public:
  struct Options {
    bool logprobs = false;
    std::string echo = {};  // stands before the answer
  };
  explicit CompletionForm(Options options) : options_(std::move(options)) {}

  const Names& names() const override {
    static constexpr Names kNames{
        .id_prefix = "cmpl-", .object = "text_completion", .stream_object = "text_completion"};
    return kNames;
  }

  std::optional<Json> opening(int32_t choice) const override {
    if (options_.echo.empty()) {
      return std::nullopt;
    }
    return streamed({.choice = choice, .text = options_.echo});
  }

  Json streamed(const AnswerPiece& piece) const override { return choice_json(piece, piece.text); }

  Json whole(const AnswerPiece& answer) const override {
    return choice_json(answer, options_.echo + answer.text);
  }

 private:
  Json choice_json(const AnswerPiece& piece, const std::string& text) const {
    Json choice;
    choice["index"] = piece.choice;
    choice["text"] = text;
    choice["logprobs"] = nullptr;
    if (options_.logprobs) {
      choice["logprobs"] = completion_logprobs(piece.tokens);
    }
    choice["finish_reason"] = finish_json(piece.finish);
    return choice;
  }

  Options options_;
};

}  // namespace

std::unique_ptr<HttpTask> completions(const ApiContext& context, ApiCall& call) {
  const ServedModel& model = context.model;
  CompletionRequest request = parse_completion_request(
      parse_body(call.request), {.choices_max = model.choices_max, .vocabulary = model.vocabulary});
  if (const auto refused = refuse_model(context, request.generation.model)) {
    return ready_error(*refused);
  }
  call.blame = "prompt";
  const Tokenizer& tokenizer = model.text->tokenizer;
  CompletionForm::Options options{.logprobs = request.generation.sampling.logprobs};
  if (request.echo) {
    options.echo = request.prompt_ids.empty()
                       ? request.prompt_text
                       : tokenizer.decode(request.prompt_ids, /*skip_special=*/true);
  }
  GenerationStart start{.fields = std::move(request.generation),
                        .prompt = std::move(request.prompt_ids),
                        .max_tokens_default = kMaxTokensDefault,
                        .prompt_field = "prompt",
                        .form = std::make_unique<CompletionForm>(std::move(options))};
  if (start.prompt.empty()) {
    start.prompt =
        encode_client_text(context, "prompt", request.prompt_text, {.add_special_tokens = true});
  }
  return start_generation(context, call, std::move(start));
}

}  // namespace invar
