// Numbers and quoted strings of the template language, from their spelling to their value.
#pragma once

#include <string>
#include <string_view>

#include "text/jinja/value.h"

namespace invar::jinja {

struct NumberScan {
  Value value;
  size_t size = 0;    // bytes read
  std::string error;  // empty if all is well
};
// `text` begins with a digit. After a dot only an integer is read, so that `a.0.1` works.
NumberScan scan_number(std::string_view text, bool after_dot);

struct StringScan {
  std::string text;  // with its escapes resolved
  size_t size = 0;
  std::string error;
};
// `text` begins with a quote.
StringScan scan_string(std::string_view text);

}  // namespace invar::jinja
