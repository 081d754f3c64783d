// GET /v1/models: the one model that is served.
#include "server/api/endpoints.h"

namespace invar {
namespace {

nlohmann::ordered_json model_json(const ServedModel& model) {
  return {{"id", model.id},
          {"object", "model"},
          {"created", model.created},
          {"owned_by", "invar"},
          {"context_length", model.context_positions},
          {"has_chat_template", model.text->chat_template.has_value()},
          {"system_fingerprint", model.fingerprint}};
}

}  // namespace

std::unique_ptr<HttpTask> list_models(const ApiContext& context) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  list.push_back(model_json(context.model));
  return ready_json({{"object", "list"}, {"data", std::move(list)}});
}

std::unique_ptr<HttpTask> show_model(const ApiContext& context, std::string_view id) {
  if (const auto refused = refuse_model(context, std::string(id))) {
    return ready_error(*refused);
  }
  return ready_json(model_json(context.model));
}

}  // namespace invar
