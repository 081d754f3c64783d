// Numbers and quoted strings (literals.h).
#include "text/jinja/literals.h"

#include <charconv>

#include "text/jinja/unicode.h"

namespace invar::jinja {
namespace {

bool is_decimal(char c) {
  return c >= '0' && c <= '9';
}

// Digits that may be parted by single underscores, from `position`; returns their end.
size_t skip_digits(std::string_view text, size_t position) {
  size_t end = position;
  while (end < text.size() &&
         (is_decimal(text[end]) || (text[end] == '_' && end > position && end + 1 < text.size() &&
                                    is_decimal(text[end + 1])))) {
    ++end;
  }
  return end;
}

int digit_value(char c) {
  if (is_decimal(c)) {
    return c - '0';
  }
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'z' ? lower - 'a' + 10 : 99;
}

NumberScan scan_integer(std::string_view text) {
  NumberScan scan;
  int base = 10;
  size_t position = 0;
  if (text.size() > 2 && text[0] == '0' && digit_value(text[1]) > 9) {
    const char mark = static_cast<char>(text[1] | 0x20);
    const int marked_base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
    const size_t first = text[2] == '_' ? 3 : 2;
    if (marked_base != 10 && first < text.size() && digit_value(text[first]) < marked_base) {
      base = marked_base;
      position = first;
    }
  }
  Integer value = 0;
  for (; position < text.size(); ++position) {
    const bool separator = text[position] == '_' && position + 1 < text.size() &&
                           digit_value(text[position + 1]) < base;
    if (separator) {
      continue;
    }
    if (digit_value(text[position]) >= base) {
      break;
    }
    if (__builtin_mul_overflow(value, Integer{base}, &value) ||
        __builtin_add_overflow(value, Integer{digit_value(text[position])}, &value)) {
      scan.error = "an integer is too large";
      return scan;
    }
  }
  scan.value = Value::of(value);
  scan.size = position;
  return scan;
}

// The end of a float that begins at 0, or 0 if the text is no float.
size_t float_end(std::string_view text) {
  size_t end = skip_digits(text, 0);
  bool is_float = false;
  if (end + 1 < text.size() && text[end] == '.' && is_decimal(text[end + 1])) {
    end = skip_digits(text, end + 1);
    is_float = true;
  }
  if (end < text.size() && (text[end] | 0x20) == 'e') {
    size_t digits = end + 1;
    digits += digits < text.size() && (text[digits] == '+' || text[digits] == '-');
    if (digits < text.size() && is_decimal(text[digits])) {
      end = skip_digits(text, digits);
      is_float = true;
    }
  }
  return is_float ? end : 0;
}

// Digits of an escape that names a code point.
struct EscapeDigits {
  size_t count = 0;
  int base = 16;
};

EscapeDigits escape_digits(char kind) {
  switch (kind) {
    case 'x':
      return {2, 16};
    case 'u':
      return {4, 16};
    case 'U':
      return {8, 16};
    default:
      return {};
  }
}

class StringReader {
 public:
  explicit StringReader(std::string_view text) : text_(text) {}

  StringScan read() {
    const char quote = text_[0];
    for (position_ = 1; position_ < text_.size() && scan_.error.empty();) {
      const char c = text_[position_];
      if (c == quote) {
        scan_.size = position_ + 1;
        if (high_surrogate_ != 0) {
          scan_.error = "a lone surrogate in a string";
        }
        return std::move(scan_);
      }
      if (c == '\\' && position_ + 1 < text_.size()) {
        read_escape();
      } else {
        end_surrogate();
        scan_.text += c;
        ++position_;
      }
    }
    if (scan_.error.empty()) {
      scan_.error = "a string has no end";
    }
    return std::move(scan_);
  }

 private:
  void end_surrogate() {
    if (high_surrogate_ != 0) {
      scan_.error = "a lone surrogate in a string";
    }
  }

  void read_escape() {
    const char kind = text_[position_ + 1];
    if (const EscapeDigits digits = escape_digits(kind); digits.count != 0) {
      position_ += 2;
      return read_code_point(digits);
    }
    if (kind >= '0' && kind <= '7') {
      ++position_;
      size_t count = 1;
      while (count < 3 && position_ + count < text_.size() && text_[position_ + count] >= '0' &&
             text_[position_ + count] <= '7') {
        ++count;
      }
      return read_code_point({count, 8});
    }
    end_surrogate();
    position_ += 2;
    static constexpr std::string_view kKinds = "abfnrtv\\'\"";
    static constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\'\"";
    if (const size_t known = kKinds.find(kind); known != std::string_view::npos) {
      scan_.text += kMeanings[known];
    } else if (kind != '\n') {  // an escaped line end is nothing; other escapes stay as they are
      scan_.text += '\\';
      scan_.text += kind;
    }
  }

  void read_code_point(const EscapeDigits& digits) {
    uint64_t value = 0;
    for (size_t i = 0; i < digits.count; ++i, ++position_) {
      const int digit = position_ < text_.size() ? digit_value(text_[position_]) : 99;
      if (digit >= digits.base) {
        scan_.error = "an escape in a string has too few digits";
        return;
      }
      value = value * static_cast<uint64_t>(digits.base) + static_cast<uint64_t>(digit);
    }
    if (value > 0x10ffff) {
      scan_.error = "an escape in a string is beyond Unicode";
    } else if (value >= 0xdc00 && value <= 0xdfff && high_surrogate_ != 0) {
      append_code_point(
          scan_.text,
          static_cast<char32_t>(0x10000 + ((high_surrogate_ - 0xd800) << 10) + (value - 0xdc00)));
      high_surrogate_ = 0;
    } else if (value >= 0xd800 && value <= 0xdfff) {
      end_surrogate();
      high_surrogate_ = value;
      if (value >= 0xdc00) {
        scan_.error = "a lone surrogate in a string";
      }
    } else {
      end_surrogate();
      append_code_point(scan_.text, static_cast<char32_t>(value));
    }
  }

  std::string_view text_;
  size_t position_ = 0;
  uint64_t high_surrogate_ = 0;  // of a pair that is not complete
  StringScan scan_;
};

}  // namespace

NumberScan scan_number(std::string_view text, bool after_dot) {
  const size_t end = after_dot ? 0 : float_end(text);
  if (end == 0) {
    return scan_integer(text);
  }
  std::string digits;
  for (const char c : text.substr(0, end)) {
    if (c != '_') {
      digits += c;
    }
  }
  NumberScan scan;
  double value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec != std::errc()) {
    scan.error = "a number is out of range";
  }
  scan.value = Value::of(value);
  scan.size = end;
  return scan;
}

StringScan scan_string(std::string_view text) {
  return StringReader(text).read();
}

}  // namespace invar::jinja
