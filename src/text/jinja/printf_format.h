// Python's `text % values`.
#pragma once

#include <string_view>

#include "text/jinja/value.h"

namespace invar::jinja {

class Runtime;

// `values` is a tuple of them, a dict for %(name)s, or one value.
Value printf_format(Runtime& runtime, std::string_view format, const Value& values);

}  // namespace invar::jinja
