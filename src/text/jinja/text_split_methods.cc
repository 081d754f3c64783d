// Methods of texts that take them apart or put them together (methods.h).
#include <algorithm>
#include <array>

#include "text/jinja/markup.h"
#include "text/jinja/methods.h"
#include "text/jinja/parameters.h"
#include "text/jinja/runtime.h"
#include "text/jinja/sequence.h"
#include "text/jinja/text_edit.h"
#include "text/jinja/unicode.h"

namespace invar::jinja {
namespace {

using Pieces = std::vector<std::string_view>;

Value text_list(Runtime& runtime, const Pieces& pieces) {
  std::vector<Value> items;
  items.reserve(pieces.size());
  for (const std::string_view piece : pieces) {
    runtime.step();
    items.push_back(runtime.text(std::string(piece)));
  }
  return runtime.list(std::move(items));
}

// Words between runs of white space; the last piece of a limited split keeps what is inside it.
Pieces split_words(Runtime& runtime, std::string_view text, int64_t splits) {
  Pieces pieces;
  text = strip_left(text);
  while (!text.empty()) {
    if (splits-- == 0) {
      pieces.push_back(text);
      break;
    }
    runtime.step();
    size_t end = 0;
    while (end < text.size()) {
      size_t next = end;
      if (is_space(next_code_point(text, next))) {
        break;
      }
      end = next;
    }
    pieces.push_back(text.substr(0, end));
    text = strip_left(text.substr(end));
  }
  return pieces;
}

Pieces split_words_from_right(Runtime& runtime, std::string_view text, int64_t splits) {
  Pieces pieces;
  text = strip_right(text);
  while (!text.empty()) {
    if (splits-- == 0) {
      pieces.push_back(text);
      break;
    }
    runtime.step();
    size_t begin = text.size();
    while (begin > 0) {
      size_t previous = begin;
      if (is_space(previous_code_point(text, previous))) {
        break;
      }
      begin = previous;
    }
    pieces.push_back(text.substr(begin));
    text = strip_right(text.substr(0, begin));
  }
  std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

struct Separation {
  std::string_view separator;
  int64_t splits = -1;  // at most; below 0: all
};

Pieces split_at(Runtime& runtime, std::string_view text, const Separation& separation) {
  Pieces pieces;
  int64_t left = separation.splits;
  size_t begin = 0;
  while (left-- != 0) {
    runtime.step();
    const size_t found = find_text(runtime, text, separation.separator, begin);
    if (found == std::string_view::npos) {
      break;
    }
    pieces.push_back(text.substr(begin, found - begin));
    begin = found + separation.separator.size();
  }
  pieces.push_back(text.substr(begin));
  return pieces;
}

// A split from the left of the mirrored texts, mirrored back: linear, which backward searches would
// not be.
Pieces split_at_from_right(Runtime& runtime, std::string_view text, const Separation& separation) {
  const std::string mirrored_text(text.rbegin(), text.rend());
  const std::string mirrored_separator(separation.separator.rbegin(), separation.separator.rend());
  Pieces pieces;
  for (const std::string_view mirrored :
       split_at(runtime, mirrored_text,
                {.separator = mirrored_separator, .splits = separation.splits})) {
    const auto begin = static_cast<size_t>(mirrored.data() - mirrored_text.data());
    pieces.push_back(text.substr(text.size() - begin - mirrored.size(), mirrored.size()));
  }
  std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

template <bool kFromRight>
Value split(Runtime& runtime, const Value& receiver, Arguments& arguments) {
  const Parameters parameters(runtime, "split", arguments, {"sep", "maxsplit"});
  const int64_t splits = parameters.count(1, -1);
  const std::string& text = receiver.text();
  if (parameters.get(0, Value::none()).is_none()) {
    return text_list(runtime, kFromRight ? split_words_from_right(runtime, text, splits)
                                         : split_words(runtime, text, splits));
  }
  const std::string& separator = parameters.text(0);
  if (separator.empty()) {
    runtime.fail("empty separator");
  }
  const Separation separation{.separator = separator, .splits = splits};
  return text_list(runtime, kFromRight ? split_at_from_right(runtime, text, separation)
                                       : split_at(runtime, text, separation));
}

Value split_lines_method(Runtime& runtime, const Value& receiver, Arguments& arguments) {
  const Parameters parameters(runtime, "splitlines", arguments, {"keepends"});
  return text_list(runtime, split_lines(runtime, receiver.text(), parameters.truth(0, false)));
}

template <bool kFromRight>
Value partition(Runtime& runtime, const Value& receiver, Arguments& arguments) {
  const Parameters parameters(runtime, "partition", arguments, {"sep"});
  const std::string& separator = parameters.text(0);
  if (separator.empty()) {
    runtime.fail("empty separator");
  }
  const std::string& text = receiver.text();
  const size_t found =
      kFromRight ? rfind_text(runtime, text, separator) : find_text(runtime, text, separator);
  const Value empty = runtime.text("");
  if (found == std::string::npos) {
    return kFromRight ? runtime.tuple({empty, empty, receiver})
                      : runtime.tuple({receiver, empty, empty});
  }
  return runtime.tuple({runtime.text(text.substr(0, found)), runtime.text(separator),
                        runtime.text(text.substr(found + separator.size()))});
}

Value join(Runtime& runtime, const Value& receiver, Arguments& arguments) {
  const Parameters parameters(runtime, "join", arguments, {"iterable"});
  const Items items = items_of(runtime, parameters.at(0));
  TextBuilder result(runtime);
  for (size_t i = 0; i < items->size(); ++i) {
    const Value& item = (*items)[i];
    if (!item.is_text()) {
      runtime.require_defined(item);
      runtime.fail("sequence item {}: expected str instance, {} found", i, type_name(item));
    }
    runtime.step();
    if (i > 0) {
      result.append(receiver.text());
    }
    result.append(receiver.is_markup() ? joining_markup(runtime, item).text() : item.text());
  }
  return result.take_value();
}

constexpr std::array kMethods = {
    Method{"split", split<false>},
    Method{"rsplit", split<true>},
    Method{"splitlines", split_lines_method},
    Method{"partition", partition<false>},
    Method{"rpartition", partition<true>},
    Method{"join", join},
};

}  // namespace

std::span<const Method> text_split_methods() {
  return kMethods;
}

}  // namespace invar::jinja
