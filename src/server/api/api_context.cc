// See api_context.h.
#include "server/api/api_context.h"

#include "formats/json.h"
#include "formats/printable.h"

namespace invar {

nlohmann::json parse_body(const HttpRequest& request) {
  return parse_json("body", request.body, {.exact_integers = true});
}

std::optional<ApiError> refuse_model(const ApiContext& context,
                                     const std::optional<std::string>& model) {
  if (!model || *model == context.model.id) {
    return std::nullopt;
  }
  return ApiError{.status = 404,
                  .message = fmt::format("model: expected '{}', found '{}'", context.model.id,
                                         printable(*model)),
                  .param = "model",
                  .code = "model_not_found"};
}

std::unique_ptr<HttpTask> ready_json(const nlohmann::ordered_json& body) {
  return std::make_unique<ReadyTask>(HttpReply{.body = dump_json(body)});
}

std::unique_ptr<HttpTask> ready_error(const ApiError& error) {
  return std::make_unique<ReadyTask>(error_reply(error));
}

std::string dump_json(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace invar
