// Checked access to simdjson's tree.
#include "text/json_node.h"

#include "core/error.h"
#include "formats/printable.h"
#include "text/utf8.h"

namespace invar {
namespace {

std::string_view kind_of(simdjson::dom::element element) {
  switch (element.type()) {
    case simdjson::dom::element_type::ARRAY:
      return "an array";
    case simdjson::dom::element_type::OBJECT:
      return "an object";
    case simdjson::dom::element_type::INT64:
      return "an integer";
    case simdjson::dom::element_type::UINT64:
      return "a large integer";
    case simdjson::dom::element_type::DOUBLE:
      return "a number";
    case simdjson::dom::element_type::STRING:
      return "a string";
    case simdjson::dom::element_type::BOOL:
      return "true or false";
    case simdjson::dom::element_type::NULL_VALUE:
      return "null";
  }
  return "nothing";
}

}  // namespace

std::string JsonNode::place() const {
  return where_.ends_with(':') ? where_ : where_ + ":";
}

void JsonNode::expected(std::string_view what) const {
  std::string_view text;
  if (element_.get(text) == simdjson::SUCCESS) {
    fail(Code::kBadFile, "{} expected {}, found '{}'", place(), what, printable(text));
  }
  fail(Code::kBadFile, "{} expected {}, found {}", place(), what, kind_of(element_));
}

void JsonNode::unsupported(std::string_view what, std::string_view name) const {
  fail(Code::kUnsupported, "{} {} '{}' is not supported", place(), what, printable(name));
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
