// Python's `text % values`.
#pragma once

#include "text/jinja/value.h"

namespace invar::jinja {

class Runtime;

// `format` is a text; `values` is a tuple of them, a dict for %(name)s, or one value. Markup
// (markup.h) escapes what is put into it.
Value printf_format(Runtime& runtime, const Value& format, const Value& values);

}  // namespace invar::jinja
