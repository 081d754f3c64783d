// Edits of texts (text_edit.h).
#include "text/jinja/text_edit.h"

#include <algorithm>

#include "text/jinja/runtime.h"
#include "text/jinja/sequence.h"
#include "text/jinja/unicode.h"

namespace invar::jinja {
namespace {

bool is_line_end(char32_t c) {
  return (c >= 0x0a && c <= 0x0d) || (c >= 0x1c && c <= 0x1e) || c == 0x85 || c == 0x2028 ||
         c == 0x2029;
}

}  // namespace

std::string_view strip_text(Runtime& runtime, std::string_view text, const Value& characters,
                            StripSides sides) {
  if (!characters.is_none() && !characters.is_text()) {
    runtime.require_defined(characters);
    runtime.fail("strip arg must be None or str, not {}", type_name(characters));
  }
  const auto is_stripped = [&](std::string_view bytes, char32_t code_point) {
    return characters.is_none() ? is_space(code_point)
                                : characters.text().find(bytes) != std::string::npos;
  };
  const int64_t set_bytes =
      characters.is_none() ? 0 : static_cast<int64_t>(characters.text().size());
  while (sides != StripSides::kRight && !text.empty()) {
    size_t next = 0;
    const char32_t code_point = next_code_point(text, next);
    if (!is_stripped(text.substr(0, next), code_point)) {
      break;
    }
    runtime.step(set_bytes / 64);
    text.remove_prefix(next);
  }
  while (sides != StripSides::kLeft && !text.empty()) {
    size_t begin = text.size();
    const char32_t code_point = previous_code_point(text, begin);
    if (!is_stripped(text.substr(begin), code_point)) {
      break;
    }
    runtime.step(set_bytes / 64);
    text.remove_suffix(text.size() - begin);
  }
  return text;
}

Value pad_text(Runtime& runtime, std::string_view text, const Padding& padding) {
  const int64_t missing = padding.width - static_cast<int64_t>(code_point_count(text));
  if (missing <= 0) {
    return runtime.text(std::string(text));
  }
  runtime.check_text_size(missing * static_cast<int64_t>(padding.fill.size()));
  int64_t left = 0;
  if (padding.side == PadSide::kLeft) {
    left = missing;
  } else if (padding.side == PadSide::kBoth) {
    // Where the sides differ, str.center() puts the odd one to the left if the width is odd.
    left = missing / 2 + (missing & padding.width & 1);
  }
  std::string result;
  for (int64_t i = 0; i < left; ++i) {
    result += padding.fill;
  }
  result += text;
  for (int64_t i = left; i < missing; ++i) {
    result += padding.fill;
  }
  return runtime.text(std::move(result));
}

Value replace_text(Runtime& runtime, std::string_view text, const Replacement& replacement) {
  const auto& [old_text, new_text, count] = replacement;
  int64_t left = count < 0 ? INT64_MAX : count;
  TextBuilder result(runtime);
  size_t position = 0;
  if (old_text.empty()) {  // between all code points, and at both ends
    while (left > 0) {
      runtime.step();
      result.append(new_text);
      --left;
      if (position == text.size()) {
        break;
      }
      const size_t begin = position;
      next_code_point(text, position);
      result.append(text.substr(begin, position - begin));
    }
  } else {
    while (left > 0) {
      const size_t found = find_text(runtime, text, old_text, position);
      if (found == std::string_view::npos) {
        break;
      }
      runtime.step();
      result.append(text.substr(position, found - position));
      result.append(new_text);
      position = found + old_text.size();
      --left;
    }
  }
  result.append(text.substr(position));
  return result.take_value();
}

std::vector<std::string_view> split_lines(Runtime& runtime, std::string_view text, bool keep_ends) {
  std::vector<std::string_view> lines;
  size_t begin = 0;
  for (size_t position = 0; position < text.size();) {
    const size_t end = position;
    const char32_t code_point = next_code_point(text, position);
    if (!is_line_end(code_point)) {
      continue;
    }
    if (code_point == '\r' && position < text.size() && text[position] == '\n') {
      ++position;
    }
    runtime.step();
    lines.push_back(text.substr(begin, (keep_ends ? position : end) - begin));
    begin = position;
  }
  if (begin < text.size()) {
    lines.push_back(text.substr(begin));
  }
  return lines;
}

}  // namespace invar::jinja
