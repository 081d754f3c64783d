// Texts to numbers as Python's int() and float() read them, with the digits of any script.
#pragma once

#include <optional>
#include <string_view>

#include "text/jinja/value.h"

namespace invar::jinja {

// Spaces around, a sign and single underscores between digits are allowed; base 2 to 36, or 0 for
// the base that a prefix says. Empty if the text is no such number or does not fit.
std::optional<Integer> parse_integer(std::string_view text, int base);
// Also "inf", "infinity" and "nan", in any case.
std::optional<double> parse_float(std::string_view text);
// The number without its fraction. Empty if it is not finite or does not fit.
std::optional<Integer> truncated(double value);

}  // namespace invar::jinja
