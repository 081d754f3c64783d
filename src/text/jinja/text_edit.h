// Edits of texts that both filters and methods make: stripping, padding, replacing, splitting.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/jinja/value.h"

namespace invar::jinja {

class Runtime;

enum class StripSides { kLeft, kRight, kBoth };
// `characters` is a text of the code points to take away, or none for white space. The result is a
// part of `text`.
std::string_view strip_text(Runtime& runtime, std::string_view text, const Value& characters,
                            StripSides sides);

enum class PadSide { kLeft, kRight, kBoth };
struct Padding {
  int64_t width = 0;  // in code points
  PadSide side = PadSide::kRight;
  std::string_view fill = " ";  // one code point
};
Value pad_text(Runtime& runtime, std::string_view text, const Padding& padding);

struct Replacement {
  std::string_view old_text;
  std::string_view new_text;
  int64_t count = -1;  // at most; below 0: all
};
Value replace_text(Runtime& runtime, std::string_view text, const Replacement& replacement);

// The lines without their ends: \n, \r, \r\n and Unicode's others. Parts of `text`.
std::vector<std::string_view> split_lines(Runtime& runtime, std::string_view text,
                                          bool keep_ends = false);

}  // namespace invar::jinja
