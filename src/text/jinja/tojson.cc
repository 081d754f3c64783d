// Values to JSON text (tojson.h).
#include "text/jinja/tojson.h"

#include <algorithm>
#include <cmath>

#include "text/jinja/compare.h"
#include "text/jinja/parameters.h"
#include "text/jinja/runtime.h"
#include "text/jinja/sequence.h"
#include "text/jinja/to_text.h"
#include "text/jinja/unicode.h"

namespace invar::jinja {
namespace {

std::string json_float(double value) {
  if (std::isnan(value)) {
    return "NaN";
  }
  if (std::isinf(value)) {
    return value < 0 ? "-Infinity" : "Infinity";
  }
  return float_text(value);
}

class JsonWriter {
 public:
  JsonWriter(Runtime& runtime, const JsonStyle& style)
      : runtime_(runtime), style_(style), out_(runtime) {}

  Value take() { return out_.take_value(); }

  // Recursion is bounded by the depth of values.
  void write(const Value& value, int level) {
    runtime_.step();
    switch (value.kind()) {
      case Kind::kNone:
        return out_.append("null");
      case Kind::kBool:
        return out_.append(value.boolean() ? "true" : "false");
      case Kind::kInteger:
        return out_.append(integer_text(value.integer()));
      case Kind::kFloat:
        return out_.append(json_float(value.number()));
      case Kind::kText:
        return write_string(value.text());
      case Kind::kList:
      case Kind::kTuple:
        return write_array(value.items(), level);
      case Kind::kDict:
        return write_object(value.dict(), level);
      default:
        runtime_.fail("Object of type {} is not JSON serializable", type_name(value));
    }
  }

 private:
  void write_string(std::string_view text) {
    std::string quoted(1, '"');
    for (size_t position = 0; position < text.size();) {
      const size_t begin = position;
      const char32_t code_point = next_code_point(text, position);
      append_escaped(quoted, code_point, text.substr(begin, position - begin));
    }
    quoted += '"';
    out_.append(quoted);
  }

  void append_escaped(std::string& out, char32_t code_point, std::string_view bytes) const {
    static constexpr std::string_view kEscaped = "\"\\\n\r\t\f\b";
    static constexpr std::string_view kLetters = "\"\\nrtfb";
    const size_t known =
        code_point < 0x80 ? kEscaped.find(static_cast<char>(code_point)) : std::string_view::npos;
    if (known != std::string_view::npos) {
      out += '\\';
      out += kLetters[known];
    } else if (code_point < 0x20 || (style_.ensure_ascii && code_point >= 0x7f)) {
      append_unicode_escape(out, code_point);
    } else {
      out += bytes;
    }
  }

  static void append_unicode_escape(std::string& out, char32_t code_point) {
    const auto value = static_cast<uint32_t>(code_point);
    if (value < 0x10000) {
      out += fmt::format("\\u{:04x}", value);
    } else {
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + ((value - 0x10000) >> 10),
                         0xdc00 + ((value - 0x10000) & 0x3ff));
    }
  }

  void begin_line(int level) {
    if (style_.indent.has_value()) {
      out_.append('\n');
      for (int i = 0; i < level; ++i) {
        out_.append(*style_.indent);
      }
    }
  }

  void write_array(const std::vector<Value>& items, int level) {
    if (items.empty()) {
      return out_.append("[]");
    }
    out_.append('[');
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) {
        out_.append(style_.item_separator);
      }
      begin_line(level + 1);
      write(items[i], level + 1);
    }
    begin_line(level);
    out_.append(']');
  }

  void write_object(const DictObject& dict, int level) {
    if (dict.entries.empty()) {
      return out_.append("{}");
    }
    std::vector<size_t> order(dict.entries.size());
    for (size_t i = 0; i < order.size(); ++i) {
      order[i] = i;
    }
    if (style_.sort_keys) {
      std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return less(runtime_, dict.entries[a].first, dict.entries[b].first);
      });
    }
    out_.append('{');
    for (size_t i = 0; i < order.size(); ++i) {
      if (i > 0) {
        out_.append(style_.item_separator);
      }
      begin_line(level + 1);
      write_key(dict.entries[order[i]].first);
      out_.append(style_.key_separator);
      write(dict.entries[order[i]].second, level + 1);
    }
    begin_line(level);
    out_.append('}');
  }

  void write_key(const Value& key) {
    switch (key.kind()) {
      case Kind::kText:
        return write_string(key.text());
      case Kind::kNone:
      case Kind::kBool:
      case Kind::kInteger:
      case Kind::kFloat:
        out_.append('"');
        write(key, 0);
        return out_.append('"');
      default:
        runtime_.fail("keys must be str, int, float, bool or None, not {}", type_name(key));
    }
  }

  Runtime& runtime_;
  const JsonStyle& style_;
  TextBuilder out_;
};

std::string separator_text(Runtime& runtime, const Value& value) {
  if (!value.is_text()) {
    runtime.fail("tojson(): separators are strings, not {}", type_name(value));
  }
  return value.text();
}

}  // namespace

Value to_json(Runtime& runtime, const Value& value, const JsonStyle& style) {
  JsonWriter writer(runtime, style);
  writer.write(value, 0);
  return writer.take();
}

Value tojson_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "tojson", arguments,
                              {"ensure_ascii", "indent", "separators", "sort_keys"});
  JsonStyle style;
  style.ensure_ascii = parameters.truth(0, false);
  style.sort_keys = parameters.truth(3, false);
  const Value indent = parameters.get(1, Value::none());
  if (indent.is_text()) {
    style.indent = indent.text();
  } else if (!indent.is_none()) {
    const int64_t width = std::max<int64_t>(parameters.count(1, 0), 0);
    runtime.check_text_size(width);
    style.indent = std::string(static_cast<size_t>(width), ' ');
  }
  if (style.indent.has_value()) {
    style.item_separator = std::string(1, ',');
  }
  if (const Value separators = parameters.get(2, Value::none()); !separators.is_none()) {
    const Items parts = items_of(runtime, separators);
    if (parts->size() != 2) {
      runtime.fail("tojson(): separators are a pair, not {} values", parts->size());
    }
    style.item_separator = separator_text(runtime, (*parts)[0]);
    style.key_separator = separator_text(runtime, (*parts)[1]);
  }
  return to_json(runtime, value, style);
}

}  // namespace invar::jinja
