// One value to text under a format specification: sign, padding, width, precision and kind.
#pragma once

#include <string>
#include <string_view>

#include "text/jinja/value.h"

namespace invar::jinja {

class Runtime;

struct ValueFormat {
  std::string fill = " ";  // one code point
  char align = '\0';       // '<', '>', '^', '=' (after the sign); none: by the kind of value
  char sign = '-';         // '-', '+' or ' '
  bool alternate = false;  // 0x and the like
  char grouping = '\0';    // ',' or '_'
  int64_t width = 0;
  int64_t precision = -1;  // below 0: none
  char type = '\0';        // a letter of Python's, or none
};

// No width, type or other setting.
bool is_plain(const ValueFormat& format);

// Python's format(value, "[[fill]align][sign][#][0][width][,][.precision][type]").
ValueFormat parse_value_format(Runtime& runtime, std::string_view specification);

// Fails if the type does not suit the value.
Value format_value(Runtime& runtime, const Value& value, const ValueFormat& format);

}  // namespace invar::jinja
