// str() and repr() (to_text.h).
#include "text/jinja/to_text.h"

#include <cmath>

#include "text/jinja/runtime.h"
#include "text/jinja/unicode.h"

namespace invar::jinja {
namespace {

void append_items(TextBuilder& out, Runtime& runtime, const std::vector<Value>& items) {
  bool first = true;
  for (const Value& item : items) {
    if (!first) {
      out.append(", ");
    }
    first = false;
    append_repr(out, runtime, item);
  }
}

void append_tuple(TextBuilder& out, Runtime& runtime, const std::vector<Value>& items) {
  out.append('(');
  append_items(out, runtime, items);
  out.append(items.size() == 1 ? ",)" : ")");
}

void append_dict(TextBuilder& out, Runtime& runtime, const DictObject& dict) {
  out.append('{');
  bool first = true;
  for (const auto& [key, value] : dict.entries) {
    if (!first) {
      out.append(", ");
    }
    first = false;
    append_repr(out, runtime, key);
    out.append(": ");
    append_repr(out, runtime, value);
  }
  out.append('}');
}

void append_view(TextBuilder& out, Runtime& runtime, const Value& view) {
  out.append(type_name(view));
  out.append("([");
  bool first = true;
  for (const auto& [key, value] : view.dict_view().dict.dict().entries) {
    if (!first) {
      out.append(", ");
    }
    first = false;
    switch (view.dict_view().part) {
      case DictPart::kKeys:
        append_repr(out, runtime, key);
        break;
      case DictPart::kValues:
        append_repr(out, runtime, value);
        break;
      case DictPart::kItems:
        append_tuple(out, runtime, {key, value});
        break;
    }
  }
  out.append("])");
}

std::string range_text(const RangeObject& range) {
  std::string text = "range(" + integer_text(range.start) + ", " + integer_text(range.stop);
  if (range.step != 1) {
    text += ", " + integer_text(range.step);
  }
  return text + ")";
}

}  // namespace

std::string integer_text(Integer value) {
  if (value >= INT64_MIN && value <= INT64_MAX) {
    return std::to_string(static_cast<int64_t>(value));
  }
  std::string digits;
  for (Integer rest = value; rest != 0; rest /= 10) {
    const int digit = static_cast<int>(rest % 10);
    digits.insert(digits.begin(), static_cast<char>('0' + (digit < 0 ? -digit : digit)));
  }
  return value < 0 ? "-" + digits : digits;
}

std::string float_text(double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value < 0 ? "-inf" : "inf";
  }
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) {
    text += ".0";
  }
  return text;
}

std::string quoted_text(std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const bool has_double = text.find('"') != std::string_view::npos;
  const char quote = has_single && !has_double ? '"' : '\'';
  std::string result(1, quote);
  for (size_t position = 0; position < text.size();) {
    const size_t begin = position;
    const char32_t code_point = next_code_point(text, position);
    if (code_point == static_cast<char32_t>(quote) || code_point == '\\') {
      result += '\\';
      result += static_cast<char>(code_point);
    } else if (code_point == '\n') {
      result += "\\n";
    } else if (code_point == '\r') {
      result += "\\r";
    } else if (code_point == '\t') {
      result += "\\t";
    } else if (is_printable(code_point)) {
      result += text.substr(begin, position - begin);
    } else if (code_point < 0x100) {
      result += fmt::format("\\x{:02x}", static_cast<uint32_t>(code_point));
    } else if (code_point < 0x10000) {
      result += fmt::format("\\u{:04x}", static_cast<uint32_t>(code_point));
    } else {
      result += fmt::format("\\U{:08x}", static_cast<uint32_t>(code_point));
    }
  }
  return result + quote;
}

void append_repr(TextBuilder& out, Runtime& runtime, const Value& value) {
  runtime.step();
  switch (value.kind()) {
    case Kind::kUndefined:
      return out.append("Undefined");
    case Kind::kNone:
      return out.append("None");
    case Kind::kBool:
      return out.append(value.boolean() ? "True" : "False");
    case Kind::kInteger:
      return out.append(integer_text(value.integer()));
    case Kind::kFloat:
      return out.append(float_text(value.number()));
    case Kind::kText:
      return out.append(value.is_markup() ? "Markup(" + quoted_text(value.text()) + ")"
                                          : quoted_text(value.text()));
    case Kind::kList:
      out.append('[');
      append_items(out, runtime, value.items());
      return out.append(']');
    case Kind::kTuple:
      return append_tuple(out, runtime, value.items());
    case Kind::kDict:
      return append_dict(out, runtime, value.dict());
    case Kind::kDictView:
      return append_view(out, runtime, value);
    case Kind::kRange:
      return out.append(range_text(value.range()));
    case Kind::kIterator:
      return out.append("<generator object>");
    case Kind::kNamespace:
      // Namespaces may hold each other in a circle, so their content stays unsaid.
      return out.append("<Namespace>");
    case Kind::kLoop:
      return out.append(
          fmt::format("<LoopContext {}/{}>", value.loop().index0 + 1, value.loop().items->size()));
    case Kind::kCallable:
      return out.append(value.callable().description);
  }
}

void append_str(TextBuilder& out, Runtime& runtime, const Value& value) {
  if (value.is_text()) {
    out.append(value.text());
  } else if (value.is(Kind::kList) && value.list().joined_text.is_text()) {
    out.append(value.list().joined_text.text());
  } else if (!value.is_undefined()) {
    append_repr(out, runtime, value);
  }
}

Value to_str(Runtime& runtime, const Value& value) {
  if (value.is_text()) {
    return value;
  }
  TextBuilder out(runtime);
  append_str(out, runtime, value);
  return out.take_value();
}

}  // namespace invar::jinja
