// Texts to numbers (number_parsing.h).
#include "text/jinja/number_parsing.h"

#include <charconv>
#include <cmath>

#include "text/jinja/unicode.h"

namespace invar::jinja {
namespace {

int digit_value(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'z' ? lower - 'a' + 10 : 99;
}

int prefix_base(std::string_view text) {
  if (text.size() < 2 || text[0] != '0') {
    return 0;
  }
  const char mark = static_cast<char>(text[1] | 0x20);
  return mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
}

// Without its underscores; empty if one stands where it may not.
std::optional<std::string> without_underscores(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      result += text[i];
      continue;
    }
    const bool between = i > 0 && i + 1 < text.size() && digit_value(text[i - 1]) < 10 &&
                         digit_value(text[i + 1]) < 10;
    if (!between) {
      return std::nullopt;
    }
  }
  return result;
}

// Without the white space around it, its digits of whatever script as those of ASCII.
std::string plain_number(std::string_view text) {
  text = strip_right(strip_left(text));
  std::string result;
  for (size_t position = 0; position < text.size();) {
    const size_t begin = position;
    const char32_t code_point = next_code_point(text, position);
    if (const std::optional<int> digit = decimal_value(code_point)) {
      result += static_cast<char>('0' + *digit);
    } else {
      result += text.substr(begin, position - begin);
    }
  }
  return result;
}

}  // namespace

std::optional<Integer> parse_integer(std::string_view spelled, int base) {
  const std::string plain = plain_number(spelled);
  std::string_view text = plain;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) {
    text.remove_prefix(1);
  }
  const int marked = prefix_base(text);
  if (marked != 0 && (base == marked || base == 0)) {
    base = marked;
    text.remove_prefix(2);
    if (text.starts_with('_')) {
      text.remove_prefix(1);
    }
  }
  base = base == 0 ? 10 : base;
  Integer value = 0;
  bool after_digit = false;
  for (const char c : text) {
    if (c == '_' && after_digit) {
      after_digit = false;
      continue;
    }
    const int digit = digit_value(c);
    if (digit >= base || __builtin_mul_overflow(value, Integer{base}, &value) ||
        __builtin_add_overflow(value, Integer{digit}, &value)) {
      return std::nullopt;
    }
    after_digit = true;
  }
  if (!after_digit) {
    return std::nullopt;
  }
  return negative ? -value : value;
}

std::optional<double> parse_float(std::string_view spelled) {
  const std::string plain = plain_number(spelled);
  std::string_view text = plain;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) {
    text.remove_prefix(1);
  }
  const std::optional<std::string> digits = without_underscores(text);
  // from_chars also knows "nan(...)", which Python does not.
  if (!digits.has_value() || digits->empty() || digits->find('(') != std::string::npos ||
      digits->front() == '-') {
    return std::nullopt;
  }
  double value = 0;
  const char* end = digits->data() + digits->size();
  const auto result = std::from_chars(digits->data(), end, value);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) {
    return std::nullopt;
  }
  if (result.ec == std::errc::result_out_of_range) {
    // A negative exponent means a number too small to hold.
    value = digits->find("e-") != std::string::npos || digits->find("E-") != std::string::npos
                ? 0.0
                : HUGE_VAL;
  }
  return negative ? -value : value;
}

std::optional<Integer> truncated(double value) {
  if (!std::isfinite(value) || std::fabs(value) >= 0x1p127) {
    return std::nullopt;
  }
  return static_cast<Integer>(value);
}

}  // namespace invar::jinja
