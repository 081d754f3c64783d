// str() and repr() of values as Python writes them.
#pragma once

#include <string>

#include "text/jinja/value.h"

namespace invar::jinja {

class Runtime;
class TextBuilder;

// What {{ value }} writes.
void append_str(TextBuilder& out, Runtime& runtime, const Value& value);
// How a value looks inside a printed list.
void append_repr(TextBuilder& out, Runtime& runtime, const Value& value);
// The same as values; a text is returned as it is.
Value to_str(Runtime& runtime, const Value& value);

std::string integer_text(Integer value);
// The shortest digits that read back as the same number.
std::string float_text(double value);
std::string quoted_text(std::string_view text);

}  // namespace invar::jinja
