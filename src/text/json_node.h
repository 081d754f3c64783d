// A value in a parsed tokenizer.json together with its place, so that every complaint can say
// where: "tokenizer.json: model.vocab: expected an object, found an array". Only the text module's
// readers use it.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace invar {

// A value as messages show it: "'text'", "-1", "an array".
std::string found_value(simdjson::dom::element element);

// A view; the parser must outlive it.
class JsonNode {
 public:
  JsonNode(simdjson::dom::element element, std::string where)
      : element_(element), where_(std::move(where)) {}

  // "FILE: path.to.field"
  const std::string& where() const { return where_; }
  simdjson::dom::element element() const { return element_; }

  // A field; missing and null are the same. This must be an object.
  std::optional<JsonNode> find(std::string_view key) const;
  JsonNode get(std::string_view key) const;

  // The value of this node; Error kBadFile if it has another type.
  std::string_view string() const;
  bool boolean() const;
  int64_t integer() const;
  int32_t token_id() const;
  double number() const;
  simdjson::dom::object object() const;
  simdjson::dom::array array() const;
  std::vector<JsonNode> items() const;

  // The value of a field, or the default if it is missing.
  bool boolean_or(std::string_view key, bool missing) const;
  std::string_view string_or(std::string_view key, std::string_view missing) const;

  // A string of exactly one character.
  char32_t character() const;

  bool is_string() const { return element_.is_string(); }
  bool is_array() const { return element_.is_array(); }

  // Error kBadFile: "WHERE: expected WHAT, found ...".
  [[noreturn]] void expected(std::string_view what) const;

  // The same for what this program does not have: Error kUnsupported.
  [[noreturn]] void unsupported(std::string_view what) const;

 private:
  std::string place() const;  // where(), then one colon

  simdjson::dom::element element_;
  std::string where_;
};

}  // namespace invar
