// Python's `text % values` (printf_format.h).
#include "text/jinja/printf_format.h"

#include <optional>

#include "text/jinja/markup.h"
#include "text/jinja/number_parsing.h"
#include "text/jinja/runtime.h"
#include "text/jinja/to_text.h"
#include "text/jinja/unicode.h"
#include "text/jinja/value_format.h"

namespace invar::jinja {
namespace {

// What may be asked for an item by its key: the language lets a format use none of them. A tuple is
// the values themselves.
bool has_items(const Value& value) {
  return value.is(Kind::kDict) || value.is(Kind::kList) || value.is(Kind::kRange) ||
         value.is_undefined();
}

class PrintfFormatter {
 public:
  PrintfFormatter(Runtime& runtime, const Value& format, const Value& values)
      : runtime_(runtime),
        rest_(format.text()),
        is_markup_(format.is_markup()),
        values_(values),
        out_(runtime) {}

  Value run() {
    while (!rest_.empty()) {
      const size_t percent = std::min(rest_.find('%'), rest_.size());
      out_.append(rest_.substr(0, percent));
      rest_.remove_prefix(percent);
      if (!rest_.empty()) {
        rest_.remove_prefix(1);
        read_conversion();
      }
    }
    const size_t given = values_.is(Kind::kTuple) ? values_.items().size() : 1;
    if (!has_items(values_) && next_value_ < given) {
      runtime_.fail("not all arguments converted during string formatting");
    }
    return out_.take_value(is_markup_);
  }

 private:
  char take() {
    if (rest_.empty()) {
      runtime_.fail("incomplete format");
    }
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  Value next_value() {
    if (values_.is(Kind::kTuple)) {
      if (next_value_ >= values_.items().size()) {
        runtime_.fail("not enough arguments for format string");
      }
      return values_.items()[next_value_++];
    }
    if (next_value_++ > 0) {
      runtime_.fail("not enough arguments for format string");
    }
    return values_;
  }

  Value named_value() {
    const size_t close = rest_.find(')');
    if (close == std::string_view::npos) {
      runtime_.fail("incomplete format key");
    }
    if (!values_.is(Kind::kDict)) {
      runtime_.fail("format requires a mapping");
    }
    const Value* value = values_.dict().find(rest_.substr(0, close));
    if (value == nullptr) {
      runtime_.fail("the format's key '{}' is missing", rest_.substr(0, close));
    }
    rest_.remove_prefix(close + 1);
    return *value;
  }

  int64_t read_count() {
    if (rest_.starts_with('*')) {
      rest_.remove_prefix(1);
      const Value value = next_value();
      if (!value.is_integral()) {
        runtime_.fail("* wants int");
      }
      return static_cast<int64_t>(std::clamp<Integer>(value.integer(), INT32_MIN, INT32_MAX));
    }
    int64_t count = 0;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
      count = count * 10 + (take() - '0');
      runtime_.check_text_size(count);
    }
    return count;
  }

  void read_flags(ValueFormat& format) {
    while (!rest_.empty()) {
      switch (rest_.front()) {
        case '-':
          format.align = '<';
          break;
        case '+':
          format.sign = '+';
          break;
        case ' ':
          format.sign = format.sign == '+' ? '+' : ' ';
          break;
        case '#':
          format.alternate = true;
          break;
        case '0':
          pad_with_zeros_ = true;
          break;
        default:
          return;
      }
      rest_.remove_prefix(1);
    }
  }

  void read_conversion() {
    if (rest_.starts_with('%')) {
      rest_.remove_prefix(1);
      return out_.append('%');
    }
    std::optional<Value> named;
    if (rest_.starts_with('(')) {
      rest_.remove_prefix(1);
      named = named_value();
    }
    ValueFormat format;
    format.align = '>';
    pad_with_zeros_ = false;
    read_flags(format);
    format.width = read_count();
    if (format.width < 0) {
      format.align = '<';
      format.width = -format.width;
    }
    if (rest_.starts_with('.')) {
      rest_.remove_prefix(1);
      format.precision = std::max<int64_t>(read_count(), 0);
    }
    format.type = take();
    convert(named.has_value() ? *named : next_value(), format);
  }

  void convert(const Value& value, ValueFormat format) {
    runtime_.step();
    switch (format.type) {
      case 's':
      case 'r':
      case 'a':
        return out_.append(
            format_value(runtime_, text_of(value, format.type), as_text(format)).text());
      case 'c':
        return out_.append(format_value(runtime_, character_of(value), as_text(format)).text());
      case 'd':
      case 'i':
      case 'u':
        format.type = 'd';
        return append_number(whole_number(value), format);
      case 'x':
      case 'X':
      case 'o':
        if (!value.is_integral()) {
          runtime_.fail("%{} format: an integer is required, not {}", format.type,
                        type_name(value));
        }
        return append_number(Value::of(value.integer()), format);
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        if (!value.is_number()) {
          runtime_.fail("must be real number, not {}", type_name(value));
        }
        return append_number(Value::of(value.number()), format);
      default:
        runtime_.fail("unsupported format character '{}'", format.type);
    }
  }

  static ValueFormat as_text(ValueFormat format) {
    format.type = 's';
    return format;
  }

  void append_number(const Value& value, ValueFormat format) {
    if (pad_with_zeros_ && format.align != '<') {
      format.align = '=';
      format.fill = std::string(1, '0');
    }
    const bool has_least_digits = value.is_integral() && format.precision >= 0;
    if (has_least_digits) {  // the precision of an integer is its least number of digits
      format.width = std::max(format.width, format.precision);
      format.align = '=';
      format.fill = std::string(1, '0');
      format.precision = -1;
    }
    out_.append(format_value(runtime_, value, format).text());
  }

  Value text_of(const Value& value, char type) {
    Value result = to_str(runtime_, value);
    if (type != 's') {
      TextBuilder text(runtime_);
      append_repr(text, runtime_, value);
      result = text.take_value();
    }
    return is_markup_ ? joining_markup(runtime_, result) : result;
  }

  Value character_of(const Value& value) {
    if (value.is_text() && code_point_count(value.text()) == 1) {
      return value;
    }
    const bool is_code_point = value.is_integral() && value.integer() >= 0 &&
                               value.integer() <= 0x10ffff &&
                               (value.integer() < 0xd800 || value.integer() > 0xdfff);
    if (!is_code_point) {
      runtime_.fail("%c requires int or char");
    }
    std::string text;
    append_code_point(text, static_cast<char32_t>(value.integer()));
    return runtime_.text(std::move(text));
  }

  Value whole_number(const Value& value) {
    if (value.is_integral()) {
      return Value::of(value.integer());
    }
    const std::optional<Integer> number =
        value.is(Kind::kFloat) ? truncated(value.number()) : std::nullopt;
    if (!number.has_value()) {
      runtime_.fail("%d format: a real number is required, not {}", type_name(value));
    }
    return Value::of(*number);
  }

  Runtime& runtime_;
  std::string_view rest_;
  bool is_markup_;
  const Value& values_;
  TextBuilder out_;
  size_t next_value_ = 0;
  bool pad_with_zeros_ = false;
};

}  // namespace

Value printf_format(Runtime& runtime, const Value& format, const Value& values) {
  return PrintfFormatter(runtime, format, values).run();
}

}  // namespace invar::jinja
