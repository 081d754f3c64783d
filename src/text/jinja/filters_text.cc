// Filters on texts (filters.h): case, escaping, layout and replacement. They take any value by its
// text.
#include <algorithm>
#include <array>

#include "text/jinja/filters.h"
#include "text/jinja/letter_case.h"
#include "text/jinja/markup.h"
#include "text/jinja/parameters.h"
#include "text/jinja/printf_format.h"
#include "text/jinja/runtime.h"
#include "text/jinja/sequence.h"
#include "text/jinja/text_edit.h"
#include "text/jinja/to_text.h"
#include "text/jinja/tojson.h"
#include "text/jinja/unicode.h"

namespace invar::jinja {
namespace {

Value capitalize_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "capitalize", arguments, {});
  return runtime.text(to_capitalized(to_str(runtime, value).text()), value.is_markup());
}

Value center_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "center", arguments, {"width"});
  const Value centered = pad_text(runtime, to_str(runtime, value).text(),
                                  {.width = parameters.count(0, 80), .side = PadSide::kBoth});
  return value.is_markup() ? marked(runtime, centered) : centered;
}

// Both escape what has no mark yet; forceescape also what has.
Value escape_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "escape", arguments, {});
  return joining_markup(runtime, to_str(runtime, value));
}

Value forceescape_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "forceescape", arguments, {});
  return escaped(runtime, to_str(runtime, value).text());
}

Value format_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  if (!arguments.positional.empty() && !arguments.keyword.empty()) {
    runtime.fail("format can't handle positional and keyword arguments at the same time");
  }
  const Value format = to_str(runtime, value);
  if (arguments.keyword.empty()) {
    return printf_format(runtime, format, runtime.tuple(arguments.positional));
  }
  std::vector<std::pair<Value, Value>> entries;
  for (const auto& [name, argument] : arguments.keyword) {
    entries.emplace_back(runtime.text(name), argument);
  }
  return printf_format(runtime, format, runtime.dict(entries));
}

// A string, or a list of text parts in the place of one (ListObject).
bool stands_for_text(const Value& value) {
  return value.is_text() || (value.is(Kind::kList) && value.list().joined_text.is_text());
}

Value indent_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "indent", arguments, {"width", "first", "blank"});
  const Value* width = parameters.find(0);
  std::string indent;
  if (width != nullptr && width->is_text()) {
    indent = width->text();
  } else {
    const int64_t spaces = std::max<int64_t>(parameters.count(0, 4), 0);
    runtime.check_text_size(spaces);
    indent.assign(static_cast<size_t>(spaces), ' ');
  }
  runtime.require_defined(value);
  if (!stands_for_text(value)) {
    runtime.fail("indent takes a string, not {}", type_name(value));
  }
  const Value source = to_str(runtime, value);
  TextBuilder result(runtime);
  bool first = true;
  const std::string text = source.text() + "\n";  // the lines below are parts of it
  for (const std::string_view line : split_lines(runtime, text)) {
    if (!first) {
      result.append('\n');
    }
    const bool indented =
        first ? parameters.truth(1, false) : parameters.truth(2, false) || !line.empty();
    if (indented) {
      result.append(indent);
    }
    result.append(line);
    first = false;
  }
  return result.take_value(value.is_markup());
}

Value lower_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "lower", arguments, {});
  return runtime.text(to_lower(to_str(runtime, value).text()), value.is_markup());
}

Value upper_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "upper", arguments, {});
  return runtime.text(to_upper(to_str(runtime, value).text()), value.is_markup());
}

Value replace_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "replace", arguments, {"old", "new", "count"});
  const Value source = to_str(runtime, value);
  const Value old_text = to_str(runtime, parameters.at(0));
  const Value new_text = to_str(runtime, parameters.at(1));
  const bool all = parameters.get(2, Value::none()).is_none();
  return replace_text(runtime, source.text(),
                      {.old_text = old_text.text(),
                       .new_text = new_text.text(),
                       .count = all ? -1 : parameters.count(2, -1)});
}

Value safe_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "safe", arguments, {});
  return marked(runtime, to_str(runtime, value));
}

Value string_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "string", arguments, {});
  return to_str(runtime, value);
}

// Words begin after white space, hyphens and opening brackets, unlike those of str.title().
Value title_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "title", arguments, {});
  const Value source = to_str(runtime, value);
  const std::string& text = source.text();
  std::string result;
  const auto parts_words = [](char32_t c) {
    return c == '-' || c == '(' || c == '{' || c == '[' || c == '<' || is_space(c);
  };
  for (size_t begin = 0; begin < text.size();) {
    size_t position = begin;
    const bool is_gap = parts_words(next_code_point(text, position));
    const size_t first_end = position;
    while (position < text.size()) {
      size_t next = position;
      if (parts_words(next_code_point(text, next)) != is_gap) {
        break;
      }
      position = next;
    }
    result += to_upper(std::string_view(text).substr(begin, first_end - begin));
    result += to_lower(std::string_view(text).substr(first_end, position - first_end));
    begin = position;
  }
  return runtime.text(std::move(result));
}

Value trim_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "trim", arguments, {"chars"});
  const Value source = to_str(runtime, value);
  return runtime.text(std::string(strip_text(runtime, source.text(),
                                             parameters.get(0, Value::none()), StripSides::kBoth)),
                      value.is_markup());
}

Value truncate_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "truncate", arguments,
                              {"length", "killwords", "end", "leeway"});
  const int64_t length = parameters.count(0, 255);
  const std::string end = parameters.text(2, "...");
  const bool default_leeway = parameters.get(3, Value::none()).is_none();
  const int64_t leeway = default_leeway ? 5 : parameters.count(3, 5);
  const auto end_length = static_cast<int64_t>(code_point_count(end));
  if (length < end_length || leeway < 0) {
    runtime.fail("truncate expects a length of at least {} and a leeway of at least 0", end_length);
  }
  const std::optional<int64_t> size = length_of(value);
  if (!size.has_value()) {
    runtime.fail("object of type '{}' has no len()", type_name(value));
  }
  if (!stands_for_text(value)) {
    if (*size <= length + leeway) {
      return value;
    }
    runtime.fail("truncate shortens a string, not {}", type_name(value));
  }
  const Value source = to_str(runtime, value);
  const std::string& text = source.text();
  if (static_cast<int64_t>(code_point_count(text)) <= length + leeway) {
    return source;
  }
  std::string result = text.substr(0, code_point_offset(text, length - end_length));
  if (!parameters.truth(1, false)) {
    result = result.substr(0, result.rfind(' '));
  }
  return runtime.text(result + end);
}

Value urlencode_text(Runtime& runtime, const std::string& text, bool for_query) {
  TextBuilder result(runtime);
  for (const char c : text) {
    const bool is_plain = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
                          c == '_' || c == '.' || c == '-' || c == '~' || (c == '/' && !for_query);
    if (is_plain) {
      result.append(c);
    } else if (c == ' ' && for_query) {
      result.append('+');
    } else {
      result.append(fmt::format("%{:02X}", static_cast<unsigned char>(c)));
    }
  }
  return result.take_value();
}

Value urlencode_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "urlencode", arguments, {});
  if (value.is_text() || !is_iterable(value)) {
    return urlencode_text(runtime, to_str(runtime, value).text(), false);
  }
  const Items pairs =
      items_of(runtime, value.is(Kind::kDict) ? runtime.dict_view(value, DictPart::kItems) : value);
  TextBuilder result(runtime);
  for (const Value& pair : *pairs) {
    const Items parts = items_of(runtime, pair);
    if (parts->size() != 2) {
      runtime.fail("urlencode takes pairs, not {} values", parts->size());
    }
    if (!result.str().empty()) {
      result.append('&');
    }
    result.append(urlencode_text(runtime, to_str(runtime, (*parts)[0]).text(), true).text());
    result.append('=');
    result.append(urlencode_text(runtime, to_str(runtime, (*parts)[1]).text(), true).text());
  }
  return result.take_value();
}

// Runs of letters, digits and underscores.
Value wordcount_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  const Parameters parameters(runtime, "wordcount", arguments, {});
  const Value source = to_str(runtime, value);
  int64_t words = 0;
  bool inside = false;
  for (size_t position = 0; position < source.text().size();) {
    const char32_t c = next_code_point(source.text(), position);
    const bool is_word = is_alphabetic(c) || is_numeric(c) || c == '_';
    words += is_word && !inside;
    inside = is_word;
  }
  return Value::of(words);
}

Value unsupported_filter(Runtime& runtime, const Value&, Arguments&) {
  runtime.fail_unsupported("this filter is not supported in chat templates");
}

constexpr std::array kFilters = {
    Filter{"capitalize", capitalize_filter},
    Filter{"center", center_filter},
    Filter{"e", escape_filter},
    Filter{"escape", escape_filter},
    Filter{"forceescape", forceescape_filter},
    Filter{"format", format_filter},
    Filter{"indent", indent_filter},
    Filter{"lower", lower_filter},
    Filter{"replace", replace_filter},
    Filter{"safe", safe_filter},
    Filter{"string", string_filter},
    Filter{"title", title_filter},
    Filter{"tojson", tojson_filter},
    Filter{"trim", trim_filter},
    Filter{"truncate", truncate_filter},
    Filter{"upper", upper_filter},
    Filter{"urlencode", urlencode_filter},
    Filter{"wordcount", wordcount_filter},
    // The language has these; no chat template known uses them.
    Filter{"filesizeformat", unsupported_filter},
    Filter{"pprint", unsupported_filter},
    Filter{"random", unsupported_filter},
    Filter{"striptags", unsupported_filter},
    Filter{"urlize", unsupported_filter},
    Filter{"wordwrap", unsupported_filter},
    Filter{"xmlattr", unsupported_filter},
};

}  // namespace

std::span<const Filter> text_filters() {
  return kFilters;
}

}  // namespace invar::jinja
