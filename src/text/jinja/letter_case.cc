// utf8proc has the mappings of one character to one, and the full case folding. Where folding gives
// several characters, they spell the full upper and title case as well.
#include "text/jinja/letter_case.h"

#include <utf8proc.h>

#include <array>
#include <span>

#include "core/error.h"
#include "text/jinja/unicode.h"

namespace invar::jinja {
namespace {

constexpr char32_t kSharpS = 0xdf;
constexpr char32_t kDottedCapitalI = 0x130;
constexpr char32_t kApostropheN = 0x149;
constexpr char32_t kSmallIota = 0x3b9;
constexpr char32_t kIotaBelow = 0x345;
constexpr char32_t kCapitalSigma = 0x3a3;
constexpr char32_t kSmallSigma = 0x3c3;
constexpr char32_t kFinalSigma = 0x3c2;

// Upper case without being capital letters: Roman numbers, letters in circles and squares.
constexpr auto kOtherUpper = std::to_array<CodePointRange>({{0x2160, 0x216f},
                                                            {0x24b6, 0x24cf},
                                                            {0x1f130, 0x1f149},
                                                            {0x1f150, 0x1f169},
                                                            {0x1f170, 0x1f189}});
// The same for lower case: ordinals, modifier letters, small Roman numbers, letters in circles.
constexpr auto kOtherLower = std::to_array<CodePointRange>(
    {{0xaa, 0xaa},       {0xba, 0xba},       {0x2b0, 0x2b8},     {0x2c0, 0x2c1},
     {0x2e0, 0x2e4},     {0x345, 0x345},     {0x37a, 0x37a},     {0x1d2c, 0x1d6a},
     {0x1d78, 0x1d78},   {0x1d9b, 0x1dbf},   {0x2071, 0x2071},   {0x207f, 0x207f},
     {0x2090, 0x209c},   {0x2170, 0x217f},   {0x24d0, 0x24e9},   {0x2c7c, 0x2c7d},
     {0xa69c, 0xa69d},   {0xa770, 0xa770},   {0xa7f8, 0xa7f9},   {0xab5c, 0xab5f},
     {0x10780, 0x10780}, {0x10783, 0x10785}, {0x10787, 0x107b0}, {0x107b2, 0x107ba}});
// Apostrophes, full stops and colons, which may stand inside a word.
constexpr auto kInsideWords = std::to_array<CodePointRange>({{0x27, 0x27},
                                                             {0x2e, 0x2e},
                                                             {0x3a, 0x3a},
                                                             {0xb7, 0xb7},
                                                             {0x387, 0x387},
                                                             {0x55f, 0x55f},
                                                             {0x5f4, 0x5f4},
                                                             {0x2018, 0x2019},
                                                             {0x2024, 0x2024},
                                                             {0x2027, 0x2027},
                                                             {0xfe13, 0xfe13},
                                                             {0xfe52, 0xfe52},
                                                             {0xfe55, 0xfe55},
                                                             {0xff07, 0xff07},
                                                             {0xff0e, 0xff0e},
                                                             {0xff1a, 0xff1a}});

utf8proc_category_t category_of(char32_t code_point) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
}

// Skipped in the search for a sigma's neighbours.
bool is_ignored(char32_t code_point) {
  switch (category_of(code_point)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      return in_ranges(kInsideWords, code_point);
  }
}

char32_t simple_upper(char32_t code_point) {
  return static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(code_point)));
}
char32_t simple_title(char32_t code_point) {
  return static_cast<char32_t>(utf8proc_totitle(static_cast<utf8proc_int32_t>(code_point)));
}

std::u32string folded(char32_t code_point) {
  constexpr utf8proc_ssize_t kLongest = 3;
  std::array<utf8proc_int32_t, kLongest> codes;
  int boundary = 0;
  const utf8proc_ssize_t size =
      utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code_point), codes.data(), kLongest,
                              UTF8PROC_CASEFOLD, &boundary);
  INVAR_CHECK(size >= 1 && size <= kLongest, "{}", size);
  return std::u32string(codes.begin(), codes.begin() + size);
}

void append_upper(std::string& out, char32_t code_point) {
  const std::u32string codes = folded(code_point);
  if (codes.size() == 1 || category_of(code_point) == UTF8PROC_CATEGORY_LU) {
    append_code_point(out, simple_upper(code_point));
    return;
  }
  for (const char32_t code : codes) {
    append_code_point(out, simple_upper(code));
  }
}

void append_title(std::string& out, char32_t code_point) {
  if (code_point == kApostropheN) {
    append_upper(out, code_point);
    return;
  }
  std::u32string codes = folded(code_point);
  const bool has_title = simple_title(code_point) != code_point && code_point != kSharpS;
  if (codes.size() == 1 || has_title || category_of(code_point) != UTF8PROC_CATEGORY_LL) {
    append_code_point(out, simple_title(code_point));
    return;
  }
  codes.front() = simple_title(codes.front());
  codes.back() = codes.back() == kSmallIota ? kIotaBelow : codes.back();
  for (const char32_t code : codes) {
    append_code_point(out, code);
  }
}

// A capital sigma at the end of a word has a small form of its own.
char32_t lower_sigma(std::string_view text, size_t begin, size_t end) {
  char32_t before = 0;
  while (begin > 0 && is_ignored(before = previous_code_point(text, begin))) {
  }
  char32_t after = 0;
  while (end < text.size() && is_ignored(after = next_code_point(text, end))) {
  }
  const bool follows = is_cased(before) && !is_ignored(before);
  const bool precedes = is_cased(after) && !is_ignored(after);
  return follows && !precedes ? kFinalSigma : kSmallSigma;
}

void append_lower(std::string& out, std::string_view text, size_t begin, size_t end) {
  size_t position = begin;
  const char32_t code_point = next_code_point(text, position);
  if (code_point == kCapitalSigma) {
    append_code_point(out, lower_sigma(text, begin, end));
  } else if (code_point == kDottedCapitalI) {
    out += "i\u0307";
  } else {
    append_code_point(
        out, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code_point))));
  }
}

}  // namespace

bool is_upper(char32_t code_point) {
  return category_of(code_point) == UTF8PROC_CATEGORY_LU || in_ranges(kOtherUpper, code_point);
}
bool is_lower(char32_t code_point) {
  return category_of(code_point) == UTF8PROC_CATEGORY_LL || in_ranges(kOtherLower, code_point);
}
bool is_titlecase(char32_t code_point) {
  return category_of(code_point) == UTF8PROC_CATEGORY_LT;
}

bool is_cased(char32_t code_point) {
  return is_upper(code_point) || is_lower(code_point) || is_titlecase(code_point);
}

std::string to_upper(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t position = 0; position < text.size();) {
    append_upper(result, next_code_point(text, position));
  }
  return result;
}

std::string to_lower(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t position = 0; position < text.size();) {
    const size_t begin = position;
    next_code_point(text, position);
    append_lower(result, text, begin, position);
  }
  return result;
}

std::string to_title(std::string_view text) {
  std::string result;
  bool inside_word = false;
  for (size_t position = 0; position < text.size();) {
    const size_t begin = position;
    const char32_t code_point = next_code_point(text, position);
    if (inside_word) {
      append_lower(result, text, begin, position);
    } else {
      append_title(result, code_point);
    }
    inside_word = is_cased(code_point);
  }
  return result;
}

std::string to_capitalized(std::string_view text) {
  std::string result;
  for (size_t position = 0; position < text.size();) {
    const size_t begin = position;
    const char32_t code_point = next_code_point(text, position);
    if (begin == 0) {
      append_title(result, code_point);
    } else {
      append_lower(result, text, begin, position);
    }
  }
  return result;
}

std::string to_swapped_case(std::string_view text) {
  std::string result;
  for (size_t position = 0; position < text.size();) {
    const size_t begin = position;
    const char32_t code_point = next_code_point(text, position);
    if (is_upper(code_point)) {
      append_lower(result, text, begin, position);
    } else if (is_lower(code_point)) {
      append_upper(result, code_point);
    } else {
      append_code_point(result, code_point);
    }
  }
  return result;
}

std::string to_folded(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t position = 0; position < text.size();) {
    for (const char32_t code : folded(next_code_point(text, position))) {
      append_code_point(result, code);
    }
  }
  return result;
}

}  // namespace invar::jinja
