// Methods of texts that give texts or positions (methods.h).
#include <algorithm>
#include <array>

#include "text/jinja/letter_case.h"
#include "text/jinja/markup.h"
#include "text/jinja/methods.h"
#include "text/jinja/parameters.h"
#include "text/jinja/runtime.h"
#include "text/jinja/sequence.h"
#include "text/jinja/text_edit.h"
#include "text/jinja/text_format.h"
#include "text/jinja/unicode.h"

namespace invar::jinja {
namespace {

template <std::string (*kConvert)(std::string_view)>
Value convert_case(Runtime& runtime, const Value& receiver, Arguments& arguments) {
  const Parameters parameters(runtime, "str method", arguments, {});
  return runtime.text(kConvert(receiver.text()));
}

template <StripSides kSides>
Value strip(Runtime& runtime, const Value& receiver, Arguments& arguments) {
  const Parameters parameters(runtime, "strip", arguments, {"chars"});
  return runtime.text(
      std::string(strip_text(runtime, receiver.text(), parameters.get(0, Value::none()), kSides)));
}

template <PadSide kSide>
Value pad(Runtime& runtime, const Value& receiver, Arguments& arguments) {
  const Parameters parameters(runtime, "str method", arguments, {"width", "fillchar"});
  parameters.at(0);
  const std::string fill = parameters.text(1, " ");
  if (code_point_count(fill) != 1) {
    runtime.fail("the fill character must be exactly one character long");
  }
  return pad_text(runtime, receiver.text(),
                  {.width = parameters.count(0, 0), .side = kSide, .fill = fill});
}

Value zfill(Runtime& runtime, const Value& receiver, Arguments& arguments) {
  const Parameters parameters(runtime, "zfill", arguments, {"width"});
  parameters.at(0);
  std::string_view digits = receiver.text();
  std::string sign;
  if (digits.starts_with('-') || digits.starts_with('+')) {
    sign = digits.front();
    digits.remove_prefix(1);
  }
  const int64_t width = parameters.count(0, 0) - static_cast<int64_t>(sign.size());
  const Value padded =
      pad_text(runtime, digits, {.width = width, .side = PadSide::kLeft, .fill = "0"});
  return runtime.text(sign + padded.text());
}

Value replace(Runtime& runtime, const Value& receiver, Arguments& arguments) {
  const Parameters parameters(runtime, "replace", arguments, {"old", "new", "count"});
  parameters.text(1);  // has to be a text
  const Value new_text =
      receiver.is_markup() ? joining_markup(runtime, parameters.at(1)) : parameters.at(1);
  return replace_text(runtime, receiver.text(),
                      {.old_text = parameters.text(0),
                       .new_text = new_text.text(),
                       .count = parameters.count(2, -1)});
}

Value remove_prefix(Runtime& runtime, const Value& receiver, Arguments& arguments) {
  const Parameters parameters(runtime, "removeprefix", arguments, {"prefix"});
  const std::string& prefix = parameters.text(0);
  return receiver.text().starts_with(prefix) ? runtime.text(receiver.text().substr(prefix.size()))
                                             : receiver;
}

Value remove_suffix(Runtime& runtime, const Value& receiver, Arguments& arguments) {
  const Parameters parameters(runtime, "removesuffix", arguments, {"suffix"});
  const std::string& suffix = parameters.text(0);
  return receiver.text().ends_with(suffix)
             ? runtime.text(receiver.text().substr(0, receiver.text().size() - suffix.size()))
             : receiver;
}

// Tabs to spaces, up to the next multiple of the tab size in each line.
Value expand_tabs(Runtime& runtime, const Value& receiver, Arguments& arguments) {
  const Parameters parameters(runtime, "expandtabs", arguments, {"tabsize"});
  const int64_t tab_size = parameters.count(0, 8);
  TextBuilder result(runtime);
  int64_t column = 0;
  for (const char c : receiver.text()) {
    if (c == '\t') {
      const int64_t spaces = tab_size > 0 ? tab_size - column % tab_size : 0;
      runtime.check_text_size(spaces);
      result.append(std::string(static_cast<size_t>(spaces), ' '));
      column += spaces;
      continue;
    }
    result.append(c);
    const bool begins = (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    column = c == '\n' || c == '\r' ? 0 : column + begins;
  }
  return result.take_value();
}

// The bytes of text[start:end], whose bounds are the second and third argument.
struct Window {
  size_t begin = 0;
  size_t end = 0;
  bool is_valid = true;  // false: start lies behind the end
};

Window window_of(const std::string& text, const Parameters& parameters) {
  const auto length = static_cast<int64_t>(code_point_count(text));
  const auto clamp = [&](size_t index, int64_t if_absent) {
    const Value* bound = parameters.find(index);
    int64_t value =
        bound == nullptr || bound->is_none() ? if_absent : parameters.count(index, if_absent);
    return value < 0 ? std::max<int64_t>(value + length, 0) : value;
  };
  const int64_t start = clamp(1, 0);
  const int64_t end = std::min(clamp(2, length), length);
  Window window;
  window.is_valid = start <= end;
  if (window.is_valid) {
    window.begin = code_point_offset(text, start);
    window.end = code_point_offset(text, end);
  }
  return window;
}

// The position in code points, or -1.
int64_t find_position(Runtime& runtime, const Value& receiver, const Arguments& arguments,
                      bool last) {
  const Parameters parameters(runtime, "find", arguments, {"sub", "start", "end"});
  const std::string& text = receiver.text();
  const std::string& wanted = parameters.text(0);
  const Window window = window_of(text, parameters);
  if (!window.is_valid) {
    return -1;
  }
  const auto part = std::string_view(text).substr(window.begin, window.end - window.begin);
  const size_t found = last ? rfind_text(runtime, part, wanted) : find_text(runtime, part, wanted);
  return found == std::string_view::npos
             ? -1
             : static_cast<int64_t>(
                   code_point_count(std::string_view(text).substr(0, window.begin + found)));
}

template <bool kLast, bool kMustExist>
Value find(Runtime& runtime, const Value& receiver, Arguments& arguments) {
  const int64_t position = find_position(runtime, receiver, arguments, kLast);
  if (kMustExist && position < 0) {
    runtime.fail("substring not found");
  }
  return Value::of(position);
}

Value count(Runtime& runtime, const Value& receiver, Arguments& arguments) {
  const Parameters parameters(runtime, "count", arguments, {"sub", "start", "end"});
  const std::string& text = receiver.text();
  const std::string& wanted = parameters.text(0);
  const Window window = window_of(text, parameters);
  if (!window.is_valid) {
    return Value::of(int64_t{0});
  }
  const auto part = std::string_view(text).substr(window.begin, window.end - window.begin);
  if (wanted.empty()) {
    return Value::of(static_cast<int64_t>(code_point_count(part)) + 1);
  }
  int64_t matches = 0;
  for (size_t next = find_text(runtime, part, wanted); next != std::string_view::npos;
       next = find_text(runtime, part, wanted, next + wanted.size())) {
    runtime.step();
    ++matches;
  }
  return Value::of(matches);
}

// The argument is a text or a tuple of them.
template <bool kStart>
Value has_affix(Runtime& runtime, const Value& receiver, Arguments& arguments) {
  const std::string_view name = kStart ? "startswith" : "endswith";
  const Parameters parameters(runtime, name, arguments, {"affix", "start", "end"});
  const Window window = window_of(receiver.text(), parameters);
  const auto part =
      std::string_view(receiver.text()).substr(window.begin, window.end - window.begin);
  const auto matches = [&](const Value& affix) {
    if (!affix.is_text()) {
      runtime.require_defined(affix);
      runtime.fail("{} first arg must be str or a tuple of str, not {}", name, type_name(affix));
    }
    runtime.step();
    runtime.charge_text(affix.text().size());
    return window.is_valid &&
           (kStart ? part.starts_with(affix.text()) : part.ends_with(affix.text()));
  };
  const Value& affix = parameters.at(0);
  if (!affix.is(Kind::kTuple)) {
    return Value::of(matches(affix));
  }
  return Value::of(std::any_of(affix.items().begin(), affix.items().end(), matches));
}

constexpr std::array kMethods = {
    Method{"capitalize", convert_case<to_capitalized>},
    Method{"casefold", convert_case<to_folded>},
    Method{"lower", convert_case<to_lower>},
    Method{"swapcase", convert_case<to_swapped_case>},
    Method{"title", convert_case<to_title>},
    Method{"upper", convert_case<to_upper>},
    Method{"strip", strip<StripSides::kBoth>},
    Method{"lstrip", strip<StripSides::kLeft>},
    Method{"rstrip", strip<StripSides::kRight>},
    Method{"center", pad<PadSide::kBoth>},
    Method{"ljust", pad<PadSide::kRight>},
    Method{"rjust", pad<PadSide::kLeft>},
    Method{"zfill", zfill},
    Method{"replace", replace},
    Method{"removeprefix", remove_prefix},
    Method{"removesuffix", remove_suffix},
    Method{"expandtabs", expand_tabs},
    Method{"find", find<false, false>},
    Method{"rfind", find<true, false>},
    Method{"index", find<false, true>},
    Method{"rindex", find<true, true>},
    Method{"count", count},
    Method{"startswith", has_affix<true>},
    Method{"endswith", has_affix<false>},
    Method{"format", text_format},
    Method{"format_map", text_format_map},
};

}  // namespace

std::span<const Method> text_methods() {
  return kMethods;
}

}  // namespace invar::jinja
