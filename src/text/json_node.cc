// Checked access to simdjson's tree.
#include "text/json_node.h"

#include "core/error.h"
#include "formats/printable.h"
#include "text/utf8.h"
#include "text/vocabulary.h"

namespace invar {

std::string found_value(simdjson::dom::element element) {
  switch (element.type()) {
    case simdjson::dom::element_type::ARRAY:
      return "an array";
    case simdjson::dom::element_type::OBJECT:
      return "an object";
    case simdjson::dom::element_type::STRING:
      return fmt::format("'{}'", printable(element.get_string().value_unsafe()));
    default:
      return simdjson::minify(element);
  }
}

std::string JsonNode::place() const {
  return where_.ends_with(':') ? where_ : where_ + ":";
}

void JsonNode::expected(std::string_view what) const {
  fail(Code::kBadFile, "{} expected {}, found {}", place(), what, found_value(element_));
}

void JsonNode::unsupported(std::string_view what) const {
  fail(Code::kUnsupported, "{} expected {}, found {}", place(), what, found_value(element_));
}

std::optional<JsonNode> JsonNode::find(std::string_view key) const {
  simdjson::dom::element field;
  if (object().at_key(key).get(field) != simdjson::SUCCESS || field.is_null()) {
    return std::nullopt;
  }
  const std::string_view separator = where_.ends_with(':') ? " " : ".";
  return JsonNode(field, fmt::format("{}{}{}", where_, separator, key));
}

JsonNode JsonNode::get(std::string_view key) const {
  std::optional<JsonNode> field = find(key);
  if (!field.has_value()) {
    fail(Code::kBadFile, "{} expected a field '{}', found none", place(), key);
  }
  return *field;
}

std::string_view JsonNode::string() const {
  std::string_view value;
  if (element_.get(value) != simdjson::SUCCESS) {
    expected("a string");
  }
  return value;
}

bool JsonNode::boolean() const {
  bool value = false;
  if (element_.get(value) != simdjson::SUCCESS) {
    expected("true or false");
  }
  return value;
}

int64_t JsonNode::integer() const {
  int64_t value = 0;
  if (element_.get(value) != simdjson::SUCCESS) {
    expected("an integer");
  }
  return value;
}

int32_t JsonNode::token_id() const {
  int64_t id = 0;
  if (element_.get(id) != simdjson::SUCCESS || id < 0 || id >= Vocabulary::kMaxTokens) {
    expected(fmt::format("a token id from 0 to {}", Vocabulary::kMaxTokens - 1));
  }
  return static_cast<int32_t>(id);
}

double JsonNode::number() const {
  double value = 0;
  if (element_.get(value) != simdjson::SUCCESS) {
    expected("a number");
  }
  return value;
}

simdjson::dom::object JsonNode::object() const {
  simdjson::dom::object value;
  if (element_.get(value) != simdjson::SUCCESS) {
    expected("an object");
  }
  return value;
}

simdjson::dom::array JsonNode::array() const {
  simdjson::dom::array value;
  if (element_.get(value) != simdjson::SUCCESS) {
    expected("an array");
  }
  return value;
}

std::vector<JsonNode> JsonNode::items() const {
  std::vector<JsonNode> nodes;
  for (const simdjson::dom::element item : array()) {
    nodes.emplace_back(item, fmt::format("{}[{}]", where_, nodes.size()));
  }
  return nodes;
}

bool JsonNode::boolean_or(std::string_view key, bool missing) const {
  const std::optional<JsonNode> field = find(key);
  return field.has_value() ? field->boolean() : missing;
}

std::string_view JsonNode::string_or(std::string_view key, std::string_view missing) const {
  const std::optional<JsonNode> field = find(key);
  return field.has_value() ? field->string() : missing;
}

char32_t JsonNode::character() const {
  const std::string_view text = string();
  size_t at = 0;
  const char32_t code = text.empty() ? 0 : next_code(text, at);
  if (text.empty() || at != text.size()) {
    expected("one character");
  }
  return code;
}

}  // namespace invar
