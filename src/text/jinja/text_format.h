// Python's str.format() and str.format_map(), as methods of texts.
#pragma once

#include "text/jinja/value.h"

namespace invar::jinja {

class Runtime;

Value text_format(Runtime& runtime, const Value& receiver, Arguments& arguments);
Value text_format_map(Runtime& runtime, const Value& receiver, Arguments& arguments);

}  // namespace invar::jinja
