// Texts marked as safe HTML (markup.h).
#include "text/jinja/markup.h"

#include <algorithm>

#include "text/jinja/runtime.h"

namespace invar::jinja {
namespace {

std::string_view entity_of(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '\'':
      return "&#39;";
    default:
      return "&#34;";
  }
}

}  // namespace

Value escaped(Runtime& runtime, std::string_view text) {
  TextBuilder result(runtime);
  while (!text.empty()) {
    const size_t plain = std::min(text.find_first_of("&<>'\""), text.size());
    result.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (!text.empty()) {
      result.append(entity_of(text.front()));
      text.remove_prefix(1);
    }
  }
  return result.take_value(true);
}

Value joining_markup(Runtime& runtime, const Value& text) {
  return text.is_markup() ? text : escaped(runtime, text.text());
}

Value marked(Runtime& runtime, const Value& value) {
  if (value.is_text()) {
    return value.is_markup() ? value : runtime.text(value.text(), true);
  }
  if (!value.is_sequence()) {
    return value;
  }
  std::vector<Value> items;
  items.reserve(value.items().size());
  for (const Value& item : value.items()) {
    items.push_back(item.is_text() ? marked(runtime, item) : item);
  }
  return runtime.sequence(value.kind(), std::move(items));
}

}  // namespace invar::jinja
