// Values to JSON text, with the spelling of Python's json.dumps(ensure_ascii=False).
#pragma once

#include <optional>
#include <string>

#include "text/jinja/value.h"

namespace invar::jinja {

class Runtime;

struct JsonStyle {
  bool ensure_ascii = false;
  std::optional<std::string> indent;  // of one level; absent: all in one line
  std::string item_separator = ", ";
  std::string key_separator = ": ";
  bool sort_keys = false;
};

// Fails on values that JSON has no form for (undefined, iterators, namespaces, functions).
Value to_json(Runtime& runtime, const Value& value, const JsonStyle& style);

// The filter `tojson(ensure_ascii, indent, separators, sort_keys)`.
Value tojson_filter(Runtime& runtime, const Value& value, Arguments& arguments);

}  // namespace invar::jinja
