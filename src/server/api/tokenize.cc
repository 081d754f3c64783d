// POST /tokenize and /detokenize: the served model's tokenizer.
#include "core/error.h"
#include "server/api/client_text.h"
#include "server/api/endpoints.h"
#include "server/api/generation_fields.h"
#include "server/api/json_fields.h"

namespace invar {

std::unique_ptr<HttpTask> tokenize(const ApiContext& context, ApiCall& call) {
  const nlohmann::json body = parse_body(call.request);
  JsonFields fields(body, "");
  const std::optional<std::string> model = fields.string("model");
  const std::string prompt = json_string(fields.get("prompt", "a string"), "prompt");
  const EncodeOptions options{
      .add_special_tokens = fields.boolean("add_special_tokens").value_or(true), .stop = call.gone};
  fields.refuse_unread();
  if (const auto refused = refuse_model(context, model)) {
    return ready_error(*refused);
  }
  call.blame = "prompt";
  const std::vector<int32_t> ids = encode_client_text(context, "prompt", prompt, options);
  return ready_json({{"tokens", ids},
                     {"count", ids.size()},
                     {"context_length", context.model.context_positions}});
}

std::unique_ptr<HttpTask> detokenize(const ApiContext& context, ApiCall& call) {
  const nlohmann::json body = parse_body(call.request);
  JsonFields fields(body, "");
  const std::optional<std::string> model = fields.string("model");
  const std::vector<int32_t> ids = read_token_ids(fields.get("tokens", "a list of token ids"),
                                                  "tokens", context.model.vocabulary);
  fields.refuse_unread();
  if (const auto refused = refuse_model(context, model)) {
    return ready_error(*refused);
  }
  return ready_json(
      {{"prompt", context.model.text->tokenizer.decode(ids, /*skip_special=*/false)}});
}

}  // namespace invar
