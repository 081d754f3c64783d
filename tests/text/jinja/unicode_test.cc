// Code points and their properties.
#include "text/jinja/unicode.h"

#include <gtest/gtest.h>

#include <array>

namespace invar::jinja {
namespace {

TEST(Unicode, KnowsValidUtf8) {
  EXPECT_TRUE(is_valid_utf8(""));
  EXPECT_TRUE(is_valid_utf8("aé漢😀"));
  for (const std::string_view bad : {"\x80", "\xc3", "\xe6\xbc", "\xf0\x9f\x98", "\xc0\x80",
                                     "\xed\xa0\x80", "\xf5\x80\x80\x80", "a\xff"}) {
    EXPECT_FALSE(is_valid_utf8(bad));
  }
}

TEST(Unicode, WalksBothWays) {
  const std::string_view text = "aé漢😀";
  const std::u32string expected = U"aé漢😀";
  size_t position = 0;
  for (const char32_t code_point : expected) {
    EXPECT_EQ(next_code_point(text, position), code_point);
  }
  EXPECT_EQ(position, text.size());
  for (auto it = expected.rbegin(); it != expected.rend(); ++it) {
    EXPECT_EQ(previous_code_point(text, position), *it);
  }
  EXPECT_EQ(position, 0u);
  std::string copy;
  for (const char32_t code_point : expected) {
    append_code_point(copy, code_point);
  }
  EXPECT_EQ(copy, text);
}

TEST(Unicode, CountsCodePoints) {
  EXPECT_EQ(code_point_count("aé漢😀"), 4u);
  EXPECT_EQ(code_point_offset("aé漢😀", 0), 0u);
  EXPECT_EQ(code_point_offset("aé漢😀", 2), 3u);
  EXPECT_EQ(code_point_offset("aé漢😀", 4), 10u);
  EXPECT_EQ(code_point_offset("aé漢😀", 99), 10u);
}

TEST(Unicode, KnowsWhiteSpace) {
  for (const char32_t c : U" \t\n\v\f\r\x1c\x1f\u0085\u00a0\u1680\u2003\u2028\u2029\u202f\u3000") {
    EXPECT_EQ(is_space(c), c != 0) << static_cast<uint32_t>(c);
  }
  for (const char32_t c : {U'a', U'\u200b', U'\u180e', U'\ufeff', U'\x1b'}) {
    EXPECT_FALSE(is_space(c)) << static_cast<uint32_t>(c);
  }
  EXPECT_EQ(strip_left(" \u3000 a b "), "a b ");
  EXPECT_EQ(strip_right(" a b \u00a0\n"), " a b");
  EXPECT_EQ(strip_left(" \t"), "");
}

TEST(Unicode, KnowsProperties) {
  EXPECT_TRUE(is_alphabetic(U'漢') && is_alphabetic(U'ʰ') && !is_alphabetic(U'1'));
  EXPECT_TRUE(is_decimal(U'٣') && !is_decimal(U'²') && is_digit(U'²') && !is_digit(U'½'));
  EXPECT_TRUE(is_numeric(U'½') && is_numeric(U'Ⅷ') && !is_numeric(U'a'));
  EXPECT_TRUE(is_digit(U'①') && is_digit(U'⒈') && is_digit(U'፩') && !is_digit(U'⑩'));
  EXPECT_TRUE(is_printable(U' ') && is_printable(U'é') && is_printable(U'😀'));
  for (const char32_t c : {U'\n', U'\u00a0', U'\u00ad', U'\u200b', U'\ue000', U'\U000e0001'}) {
    EXPECT_FALSE(is_printable(c)) << static_cast<uint32_t>(c);
  }
  EXPECT_TRUE(is_identifier_start(U'_') && is_identifier_start(U'é') && !is_identifier_start(U'1'));
  EXPECT_TRUE(is_identifier_part(U'1') && is_identifier_part(U'\u0301') &&
              !is_identifier_part(U'-'));
}

TEST(Unicode, ReadsDecimalDigits) {
  EXPECT_EQ(decimal_value(U'7'), 7);
  EXPECT_EQ(decimal_value(U'\u0660'), 0);
  EXPECT_EQ(decimal_value(U'\u0669'), 9);
  EXPECT_EQ(decimal_value(U'\U0001d7ff'), 9);  // the last of five rows
  EXPECT_EQ(decimal_value(U'\u00b2'), std::nullopt);
  EXPECT_EQ(decimal_value(U'a'), std::nullopt);
}

TEST(Unicode, LooksIntoRanges) {
  constexpr auto kRanges = std::to_array<CodePointRange>({{2, 3}, {7, 7}});
  for (const char32_t inside : {2, 3, 7}) {
    EXPECT_TRUE(in_ranges(kRanges, inside));
  }
  for (const char32_t outside : {1, 4, 6, 8}) {
    EXPECT_FALSE(in_ranges(kRanges, outside));
  }
}

}  // namespace
}  // namespace invar::jinja
