// UTF-8 decoding, encoding and repair.
#include "text/utf8.h"

#include <gtest/gtest.h>

namespace invar {
namespace {

std::string lossy(std::string_view text) {
  std::string out;
  append_lossy(text, out);
  return out;
}

TEST(Utf8, EveryScalarValueSurvives) {
  for (char32_t code = 0; code < 0x110000; ++code) {
    if (code >= 0xD800 && code < 0xE000) {
      continue;
    }
    std::string text;
    append_utf8(code, text);
    const Utf8Step step = utf8_step(text);
    ASSERT_EQ(step.status, Utf8Status::kValid) << static_cast<uint32_t>(code);
    ASSERT_TRUE(step.code == code);
    ASSERT_EQ(step.size, text.size());
  }
}

TEST(Utf8, RefusesOverlongSurrogateAndTooLarge) {
  EXPECT_EQ(utf8_step("\xC0\x80").status, Utf8Status::kBroken);
  EXPECT_EQ(utf8_step("\xE0\x9F\xBF").status, Utf8Status::kBroken);
  EXPECT_EQ(utf8_step("\xED\xA0\x80").status, Utf8Status::kBroken);
  EXPECT_EQ(utf8_step("\xF4\x90\x80\x80").status, Utf8Status::kBroken);
  EXPECT_EQ(utf8_step("\xF5").status, Utf8Status::kBroken);
  EXPECT_EQ(utf8_step("\x80").status, Utf8Status::kBroken);
}

TEST(Utf8, KnowsABeginning) {
  EXPECT_EQ(utf8_step("\xE2\x82").status, Utf8Status::kIncomplete);
  EXPECT_EQ(utf8_step("\xF0\x9F\x98").size, 3u);
  std::string out;
  EXPECT_EQ(append_lossy_prefix("ab\xF0\x9F", out), 2u);
  EXPECT_EQ(out, "ab");
}

TEST(Utf8, ReplacesMaximalSubparts) {
  // The example of the Unicode standard, table 3-8.
  EXPECT_EQ(lossy("\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64"),
            "a\uFFFD\uFFFD\uFFFDb\uFFFDc\uFFFD\uFFFDd");
  EXPECT_EQ(lossy("\xE2\x82"), "\uFFFD");
  EXPECT_EQ(lossy("abcdefgh\xFFijklmnop"), "abcdefgh\uFFFDijklmnop");
}

TEST(Utf8, ValidPrefixStopsAtTheFirstBrokenByte) {
  EXPECT_EQ(utf8_valid_prefix("0123456789\xFF"), 10u);
  EXPECT_EQ(utf8_valid_prefix("é€😀"), 9u);
  EXPECT_TRUE(utf8_is_valid(""));
}

}  // namespace
}  // namespace invar
