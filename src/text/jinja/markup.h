// Texts marked as safe HTML. Chat templates have no automatic escaping, but a text that went
// through `safe` or `escape` escapes what it is joined with, and published templates depend on
// that.
#pragma once

#include <string_view>

#include "text/jinja/value.h"

namespace invar::jinja {

class Runtime;

// HTML's five characters as entities, whatever the value's mark.
Value escaped(Runtime& runtime, std::string_view text);

// `text` as it joins a text with the mark: escaped, unless it has the mark itself.
Value joining_markup(Runtime& runtime, const Value& text);

// The value with the mark, if it is a text, or a list or tuple of texts; other values unchanged.
Value marked(Runtime& runtime, const Value& value);

}  // namespace invar::jinja
