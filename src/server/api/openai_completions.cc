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
  explicit CompletionForm(bool logprobs) : logprobs_(logprobs) {}

  const Names& names() const override {
    static constexpr Names kNames{
        .id_prefix = "cmpl-", .object = "text_completion", .stream_object = "text_completion"};
    return kNames;
  }

  std::optional<Json> opening(int32_t /*choice*/) const override { return std::nullopt; }
  Json streamed(const AnswerPiece& piece) const override { return choice_json(piece); }
  Json whole(const AnswerPiece& answer) const override { return choice_json(answer); }

 private:
  Json choice_json(const AnswerPiece& piece) const {
    Json choice;
    choice["index"] = piece.choice;
    choice["text"] = piece.text;
    choice["logprobs"] = nullptr;
    if (logprobs_) {
      choice["logprobs"] = completion_logprobs(piece.tokens);
    }
    choice["finish_reason"] = finish_json(piece.finish);
    return choice;
  }

  bool logprobs_;
};

std::vector<std::vector<int32_t>> prompt_ids(const ApiContext& context, ApiCall& call,
                                             std::vector<CompletionPrompt> prompts) {
  std::vector<std::vector<int32_t>> ids;
  for (size_t i = 0; i < prompts.size(); ++i) {
    call.blame = prompt_name("prompt", prompts.size(), i);
    ids.push_back(!prompts[i].ids.empty()
                      ? std::move(prompts[i].ids)
                      : encode_client_text(context, call.blame, prompts[i].text,
                                           {.add_special_tokens = true, .stop = call.gone}));
  }
  return ids;
}

}  // namespace

std::unique_ptr<HttpTask> completions(const ApiContext& context, ApiCall& call) {
  const ServedModel& model = context.model;
  CompletionRequest request =
      parse_completion_request(parse_body(call.request), {.choices_max = model.choices_max,
                                                          .prompts_max = model.prompts_max,
                                                          .vocabulary = model.vocabulary});
  if (const auto refused = refuse_model(context, request.generation.model)) {
    return ready_error(*refused);
  }
  GenerationStart start{.fields = std::move(request.generation),
                        .prompts = prompt_ids(context, call, std::move(request.prompts)),
                        .text = request.echo ? AnswerText::kEchoed : AnswerText::kContinued,
                        .max_tokens_default = kMaxTokensDefault,
                        .prompt_field = "prompt"};
  start.form = std::make_unique<CompletionForm>(start.fields.sampling.logprobs);
  return start_generation(context, call, std::move(start));
}

}  // namespace invar
