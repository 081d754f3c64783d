// One value to text under a format specification (value_format.h).
#include "text/jinja/value_format.h"

#include <algorithm>
#include <cmath>

#include "text/jinja/runtime.h"
#include "text/jinja/text_edit.h"
#include "text/jinja/to_text.h"
#include "text/jinja/unicode.h"

namespace invar::jinja {
namespace {

// Wider numbers are of no use, and formatting one costs as much.
constexpr int64_t kMostPrecision = 500;

bool is_align(char c) {
  return c == '<' || c == '>' || c == '^' || c == '=';
}

int64_t read_count(Runtime& runtime, std::string_view& rest) {
  int64_t count = 0;
  while (!rest.empty() && rest.front() >= '0' && rest.front() <= '9') {
    count = count * 10 + (rest.front() - '0');
    runtime.check_text_size(count);
    rest.remove_prefix(1);
  }
  return count;
}

void read_alignment(ValueFormat& format, std::string_view& rest) {
  if (rest.empty()) {
    return;
  }
  size_t fill_size = 0;
  next_code_point(rest, fill_size);
  if (fill_size < rest.size() && is_align(rest[fill_size])) {
    format.fill = rest.substr(0, fill_size);
    format.align = rest[fill_size];
    rest.remove_prefix(fill_size + 1);
  } else if (is_align(rest.front())) {
    format.align = rest.front();
    rest.remove_prefix(1);
  }
}

bool take(std::string_view& rest, char c) {
  const bool found = rest.starts_with(c);
  rest.remove_prefix(found);
  return found;
}

std::string digits_in_base(Integer magnitude, int base, bool upper) {
  const std::string_view letters = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  std::string digits;
  do {
    digits.insert(digits.begin(), letters[static_cast<size_t>(magnitude % base)]);
    magnitude /= base;
  } while (magnitude != 0);
  return digits;
}

void insert_grouping(std::string& digits, char separator, size_t group) {
  const size_t point = std::min(digits.find_first_not_of("0123456789abcdefABCDEF"), digits.size());
  for (size_t place = point; place > group; place -= group) {
    digits.insert(place - group, 1, separator);
  }
}

// What stands between the sign and the padding.
struct NumberText {
  bool negative = false;
  std::string prefix;  // 0x and the like
  std::string digits;
};

NumberText integer_digits(Runtime& runtime, Integer value, const ValueFormat& format) {
  NumberText text;
  text.negative = value < 0;
  if (text.negative && value == -value) {  // the one number without an opposite
    runtime.fail("an integer is too large");
  }
  const Integer magnitude = text.negative ? -value : value;
  const char type = format.type;
  const int base = type == 'b' ? 2 : type == 'o' ? 8 : type == 'x' || type == 'X' ? 16 : 10;
  text.digits = digits_in_base(magnitude, base, type == 'X');
  if (format.alternate && base != 10) {
    text.prefix = std::string("0") + type;
  }
  return text;
}

std::string general_digits(double magnitude, const ValueFormat& format) {
  if (format.type == '\0' && format.precision < 0) {
    return float_text(magnitude);
  }
  const int64_t precision = format.precision < 0 ? 6 : std::max<int64_t>(format.precision, 1);
  std::string digits = format.type == 'G' ? fmt::format("{:.{}G}", magnitude, precision)
                                          : fmt::format("{:.{}g}", magnitude, precision);
  if (format.type == '\0' && digits.find_first_of(".en") == std::string::npos) {
    digits += ".0";
  }
  return digits;
}

NumberText float_digits(double value, const ValueFormat& format) {
  NumberText text;
  text.negative = std::signbit(value) && !std::isnan(value);
  const double magnitude = std::fabs(value);
  const int64_t precision = format.precision < 0 ? 6 : format.precision;
  switch (format.type) {
    case 'e':
      text.digits = fmt::format("{:.{}e}", magnitude, precision);
      break;
    case 'E':
      text.digits = fmt::format("{:.{}E}", magnitude, precision);
      break;
    case 'f':
      text.digits = fmt::format("{:.{}f}", magnitude, precision);
      break;
    case 'F':
      text.digits = fmt::format("{:.{}F}", magnitude, precision);
      break;
    case '%':
      text.digits = fmt::format("{:.{}f}%", magnitude * 100.0, precision);
      break;
    default:
      text.digits = general_digits(magnitude, format);
  }
  return text;
}

Value format_number(Runtime& runtime, NumberText text, const ValueFormat& format) {
  if (format.grouping != '\0') {
    const bool in_fours =
        format.type == 'b' || format.type == 'o' || format.type == 'x' || format.type == 'X';
    insert_grouping(text.digits, format.grouping, in_fours ? 4 : 3);
  }
  std::string head;
  if (text.negative) {
    head += '-';
  } else if (format.sign != '-') {
    head += format.sign;
  }
  head += text.prefix;
  if (format.align == '=') {
    const int64_t width = format.width - static_cast<int64_t>(head.size());
    const Value padded = pad_text(runtime, text.digits,
                                  {.width = width, .side = PadSide::kLeft, .fill = format.fill});
    return runtime.text(head + padded.text());
  }
  const PadSide side = format.align == '<'   ? PadSide::kRight
                       : format.align == '^' ? PadSide::kBoth
                                             : PadSide::kLeft;
  return pad_text(runtime, head + text.digits,
                  {.width = format.width, .side = side, .fill = format.fill});
}

Value format_text_value(Runtime& runtime, const Value& value, const ValueFormat& format) {
  if (!value.is_text() && !is_plain(format)) {
    runtime.fail("unsupported format string passed to {}.__format__", type_name(value));
  }
  if (format.type != '\0' && format.type != 's') {
    runtime.fail("unknown format code '{}' for an object of type '{}'", format.type,
                 type_name(value));
  }
  const Value text = to_str(runtime, value);
  std::string_view part = text.text();
  if (format.precision >= 0) {
    part = part.substr(0, code_point_offset(part, format.precision));
  }
  const PadSide side = format.align == '>' || format.align == '=' ? PadSide::kLeft
                       : format.align == '^'                      ? PadSide::kBoth
                                                                  : PadSide::kRight;
  return pad_text(runtime, part, {.width = format.width, .side = side, .fill = format.fill});
}

}  // namespace

bool is_plain(const ValueFormat& format) {
  return format.align == '\0' && format.sign == '-' && !format.alternate &&
         format.grouping == '\0' && format.width == 0 && format.precision < 0 &&
         format.type == '\0';
}

ValueFormat parse_value_format(Runtime& runtime, std::string_view specification) {
  ValueFormat format;
  std::string_view rest = specification;
  read_alignment(format, rest);
  if (!rest.empty() && (rest.front() == '+' || rest.front() == '-' || rest.front() == ' ')) {
    format.sign = rest.front();
    rest.remove_prefix(1);
  }
  format.alternate = take(rest, '#');
  if (take(rest, '0') && format.align == '\0') {
    format.align = '=';
    format.fill = std::string(1, '0');
  }
  format.width = read_count(runtime, rest);
  if (!rest.empty() && (rest.front() == ',' || rest.front() == '_')) {
    format.grouping = rest.front();
    rest.remove_prefix(1);
  }
  if (take(rest, '.')) {
    format.precision = read_count(runtime, rest);
  }
  if (rest.size() == 1) {
    format.type = rest.front();
    rest.remove_prefix(1);
  }
  if (!rest.empty()) {
    runtime.fail("invalid format specifier '{}'", specification);
  }
  return format;
}

Value format_value(Runtime& runtime, const Value& value, const ValueFormat& format) {
  static constexpr std::string_view kIntegerTypes = "bdoxXn";
  static constexpr std::string_view kFloatTypes = "eEfFgGn%";
  if (!value.is_number() || (value.is(Kind::kBool) && is_plain(format))) {
    return format_text_value(runtime, value, format);
  }
  if (format.precision > kMostPrecision) {
    runtime.fail("a precision is above {}", kMostPrecision);
  }
  if (value.is_integral() &&
      (format.type == '\0' || kIntegerTypes.find(format.type) != std::string_view::npos)) {
    return format_number(runtime, integer_digits(runtime, value.integer(), format), format);
  }
  if (format.type != '\0' && kFloatTypes.find(format.type) == std::string_view::npos) {
    runtime.fail("unknown format code '{}' for an object of type '{}'", format.type,
                 type_name(value));
  }
  return format_number(runtime, float_digits(value.number(), format), format);
}

}  // namespace invar::jinja
