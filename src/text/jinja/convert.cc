// JSON inputs to values (convert.h).
#include "text/jinja/convert.h"

#include <nlohmann/json.hpp>

#include "text/jinja/runtime.h"
#include "text/jinja/unicode.h"

namespace invar::jinja {
namespace {

using Json = nlohmann::ordered_json;

struct Place {
  int depth = 0;
  bool may_be_parts = false;  // this value is a message's content
};

Value convert(Runtime& runtime, const Json& json, const Place& place);

Value convert_text(Runtime& runtime, const std::string& text) {
  if (!is_valid_utf8(text)) {
    runtime.fail("an input text is not UTF-8");
  }
  return runtime.text(text);
}

// The texts of a list of {"type": "text", "text": ...}, joined. Undefined for any other list.
Value joined_parts(Runtime& runtime, const Json& parts) {
  std::string joined;
  for (const Json& part : parts) {
    const bool is_text_part = part.is_object() && part.contains("type") && part["type"] == "text" &&
                              part.contains("text") && part["text"].is_string();
    if (!is_text_part) {
      return {};
    }
    joined += part["text"].get_ref<const std::string&>();
  }
  return parts.empty() ? Value() : runtime.text(std::move(joined));
}

Value convert_array(Runtime& runtime, const Json& json, const Place& place) {
  std::vector<Value> items;
  items.reserve(json.size());
  for (const Json& item : json) {
    items.push_back(convert(runtime, item, {.depth = place.depth + 1}));
  }
  if (place.may_be_parts) {
    Value joined = joined_parts(runtime, json);
    return runtime.parts_list(std::move(items), std::move(joined));
  }
  return runtime.list(std::move(items));
}

Value convert_object(Runtime& runtime, const Json& json, const Place& place, bool is_message) {
  std::vector<std::pair<Value, Value>> entries;
  entries.reserve(json.size());
  for (const auto& [key, value] : json.items()) {
    const Place inner{.depth = place.depth + 1, .may_be_parts = is_message && key == "content"};
    Value key_value = convert_text(runtime, key);
    entries.emplace_back(std::move(key_value), convert(runtime, value, inner));
  }
  return runtime.dict(entries);
}

Value convert(Runtime& runtime, const Json& json, const Place& place) {
  runtime.step();
  if (place.depth > runtime.limits().value_depth) {
    runtime.fail("the inputs are nested more than {} deep", runtime.limits().value_depth);
  }
  switch (json.type()) {
    case Json::value_t::boolean:
      return Value::of(json.get<bool>());
    case Json::value_t::number_integer:
      return Value::of(Integer{json.get<int64_t>()});
    case Json::value_t::number_unsigned:
      return Value::of(Integer{json.get<uint64_t>()});
    case Json::value_t::number_float:
      return Value::of(json.get<double>());
    case Json::value_t::string:
      return convert_text(runtime, json.get_ref<const std::string&>());
    case Json::value_t::array:
      return convert_array(runtime, json, place);
    case Json::value_t::object:
      return convert_object(runtime, json, place, false);
    default:
      return Value::none();
  }
}

Value convert_messages(Runtime& runtime, const Json& messages) {
  std::vector<Value> items;
  for (const Json& message : messages) {
    items.push_back(message.is_object() ? convert_object(runtime, message, {.depth = 2}, true)
                                        : convert(runtime, message, {.depth = 2}));
  }
  return runtime.list(std::move(items));
}

}  // namespace

Value convert_json(Runtime& runtime, const Json& json) {
  return convert(runtime, json, {});
}

Value convert_variables(Runtime& runtime, const Json& variables) {
  std::vector<std::pair<Value, Value>> entries;
  for (const auto& [name, value] : variables.items()) {
    const bool are_messages = runtime.parts_as_text() && name == "messages" && value.is_array();
    Value name_value = convert_text(runtime, name);
    entries.emplace_back(std::move(name_value), are_messages
                                                    ? convert_messages(runtime, value)
                                                    : convert(runtime, value, {.depth = 1}));
  }
  return runtime.dict(entries);
}

}  // namespace invar::jinja
