// Python's str.format() (text_format.h).
#include "text/jinja/text_format.h"

#include "text/jinja/access.h"
#include "text/jinja/markup.h"
#include "text/jinja/number_parsing.h"
#include "text/jinja/parameters.h"
#include "text/jinja/runtime.h"
#include "text/jinja/to_text.h"
#include "text/jinja/value_format.h"

namespace invar::jinja {
namespace {

// A specification may hold fields of its own, but those none.
constexpr int kFieldLevels = 2;

class FieldFormatter {
 public:
  FieldFormatter(Runtime& runtime, const Arguments& arguments, bool is_markup)
      : runtime_(runtime), arguments_(arguments), is_markup_(is_markup) {}

  // The text with its fields replaced.
  std::string expand(std::string_view format, int levels) {
    if (levels == 0) {
      runtime_.fail("Max string recursion exceeded");
    }
    TextBuilder out(runtime_);
    while (!format.empty()) {
      const size_t brace = std::min(format.find_first_of("{}"), format.size());
      out.append(format.substr(0, brace));
      format.remove_prefix(brace);
      if (format.empty()) {
        break;
      }
      if (format.size() > 1 && format[1] == format[0]) {
        out.append(format[0]);
        format.remove_prefix(2);
        continue;
      }
      if (format[0] == '}') {
        runtime_.fail("Single '}}' encountered in format string");
      }
      out.append(field(take_field(format), levels).text());
    }
    return out.take();
  }

 private:
  // The content of the braces that `format` begins with, which are taken off it.
  std::string_view take_field(std::string_view& format) {
    int open = 0;
    for (size_t i = 0; i < format.size(); ++i) {
      open += format[i] == '{' ? 1 : format[i] == '}' ? -1 : 0;
      if (open == 0) {
        const std::string_view content = format.substr(1, i - 1);
        format.remove_prefix(i + 1);
        return content;
      }
    }
    runtime_.fail("expected '}}' before end of string");
  }

  // "name!r:specification"
  Value field(std::string_view content, int levels) {
    runtime_.step();
    const size_t name_end = std::min(content.find_first_of("!:"), content.size());
    Value value = look_up(content.substr(0, name_end));
    std::string_view rest = content.substr(name_end);
    if (rest.starts_with('!')) {
      if (rest.size() < 2 || (rest.size() > 2 && rest[2] != ':')) {
        runtime_.fail("expected ':' after conversion specifier");
      }
      value = converted(value, rest[1]);
      rest.remove_prefix(2);
    }
    if (rest.starts_with(':')) {
      rest.remove_prefix(1);
    }
    const std::string specification =
        rest.find('{') == std::string_view::npos ? std::string(rest) : expand(rest, levels - 1);
    const bool is_safe = value.is_markup();
    const Value text = format_value(runtime_, value, parse_value_format(runtime_, specification));
    return is_markup_ && !is_safe ? escaped(runtime_, text.text()) : text;
  }

  Value converted(const Value& value, char conversion) {
    if (conversion == 's') {
      return to_str(runtime_, value);
    }
    if (conversion != 'r' && conversion != 'a') {
      runtime_.fail("Unknown conversion specifier {}", conversion);
    }
    TextBuilder text(runtime_);
    append_repr(text, runtime_, value);
    return text.take_value();
  }

  // "0.attribute[index]", "name", or nothing for the next argument.
  Value look_up(std::string_view path) {
    const size_t first_end = std::min(path.find_first_of(".["), path.size());
    Value value = argument(path.substr(0, first_end));
    std::string_view rest = path.substr(first_end);
    while (!rest.empty()) {
      const bool is_attribute = rest.front() == '.';
      rest.remove_prefix(1);
      const size_t end = std::min(rest.find_first_of(is_attribute ? ".[" : "]"), rest.size());
      const std::string_view name = rest.substr(0, end);
      if (name.empty() || (!is_attribute && end == rest.size())) {
        runtime_.fail("Empty attribute in format string");
      }
      rest.remove_prefix(is_attribute ? end : end + 1);
      value = is_attribute ? attribute_of(runtime_, value, name)
                           : subscript_of(runtime_, value, index_of(name));
    }
    return value;
  }

  Value index_of(std::string_view name) {
    const std::optional<Integer> number = parse_integer(name, 10);
    return number.has_value() ? Value::of(*number) : runtime_.text(std::string(name));
  }

  Value argument(std::string_view name) {
    const std::optional<Integer> number = parse_integer(name, 10);
    if (name.empty() || number.has_value()) {
      const Numbering numbering = name.empty() ? Numbering::kCounted : Numbering::kWritten;
      if (numbering_.value_or(numbering) != numbering) {
        runtime_.fail("a format numbers all of its fields or none");
      }
      numbering_ = numbering;
      const Integer index = number.value_or(static_cast<Integer>(next_argument_));
      next_argument_ += name.empty();
      if (index < 0 || index >= static_cast<Integer>(arguments_.positional.size())) {
        runtime_.fail("Replacement index {} out of range for positional args tuple",
                      integer_text(index));
      }
      return arguments_.positional[static_cast<size_t>(index)];
    }
    runtime_.charge_items(arguments_.keyword.size());
    for (const auto& [known, value] : arguments_.keyword) {
      if (known == name) {
        return value;
      }
    }
    runtime_.fail("the format's field '{}' has no argument", name);
  }

  Runtime& runtime_;
  const Arguments& arguments_;
  bool is_markup_;
  size_t next_argument_ = 0;
  enum class Numbering { kCounted, kWritten };
  std::optional<Numbering> numbering_;  // of the fields so far
};

}  // namespace

Value text_format(Runtime& runtime, const Value& receiver, Arguments& arguments) {
  FieldFormatter formatter(runtime, arguments, receiver.is_markup());
  return runtime.text(formatter.expand(receiver.text(), kFieldLevels));
}

Value text_format_map(Runtime& runtime, const Value& receiver, Arguments& arguments) {
  const Parameters parameters(runtime, "format_map", arguments, {"mapping"});
  const Value& mapping = parameters.at(0);
  if (!mapping.is(Kind::kDict)) {
    runtime.require_defined(mapping);
    runtime.fail("format_map() takes a mapping, not {}", type_name(mapping));
  }
  Arguments fields;
  for (const auto& [key, value] : mapping.dict().entries) {
    if (key.is_text()) {
      fields.keyword.emplace_back(key.text(), value);
    }
  }
  return text_format(runtime, receiver, fields);
}

}  // namespace invar::jinja
