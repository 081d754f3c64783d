// The chat template of a model (chat_template.h).
#include "text/chat_template.h"

#include <utility>

#include "core/error.h"

namespace invar {

ChatTemplate::ChatTemplate(const Source& source)
    : template_(jinja::Template::parse(source.text, source.name)),
      special_tokens_(source.special_tokens) {}

std::string ChatTemplate::render(const Request& request) const {
  if (!request.messages.is_array()) {
    fail(Code::kBadArgument, "messages: expected an array, found {}", request.messages.type_name());
  }
  if (!request.variables.is_object()) {
    fail(Code::kBadArgument, "variables of the chat template: expected an object, found {}",
         request.variables.type_name());
  }
  nlohmann::ordered_json variables = nlohmann::ordered_json::object();
  for (const auto& [name, token] : special_tokens_) {
    variables[name] = token;
  }
  variables["messages"] = request.messages;
  variables["tools"] = request.tools;
  variables["documents"] = nullptr;
  variables["add_generation_prompt"] = request.add_generation_prompt;
  for (const auto& [name, value] : request.variables.items()) {
    variables[name] = value;
  }
  return template_.render({.variables = std::move(variables),
                           .now = request.now,
                           .parts_as_text = request.parts_as_text,
                           .label = request.label,
                           .stop = request.stop});
}

}  // namespace invar
