// Character classes at their edges. (That they agree with the reference library over all characters
// of Unicode 8 was checked once; newer characters are classed by newer tables.)
#include "text/char_class.h"

#include <gtest/gtest.h>

namespace invar {
namespace {

TEST(CharClass, Whitespace) {
  int count = 0;
  for (char32_t code = 0; code < 0x110000; ++code) {
    count += is_whitespace(code) ? 1 : 0;
  }
  EXPECT_EQ(count, 25);  // the size of Unicode's White_Space
  EXPECT_TRUE(is_whitespace(0x3000));
  EXPECT_FALSE(is_whitespace(0x180E));
  EXPECT_FALSE(is_whitespace(0x200B));
}

TEST(CharClass, Numbers) {
  EXPECT_TRUE(is_numeric(U'7'));
  EXPECT_TRUE(is_numeric(0x663));   // Arabic digit
  EXPECT_TRUE(is_numeric(0x2167));  // Roman numeral
  EXPECT_TRUE(is_numeric(0xBD));    // one half
  EXPECT_FALSE(is_numeric(U'a'));
  EXPECT_FALSE(is_numeric(0x4E09));  // the ideograph three is a letter
}

TEST(CharClass, Punctuation) {
  for (const char32_t code : {U'!', U'$', U'^', U'~', U'_', char32_t{0x3002}, char32_t{0x2014}}) {
    EXPECT_TRUE(is_punctuation(code)) << static_cast<uint32_t>(code);
  }
  EXPECT_FALSE(is_punctuation(U'a'));
  EXPECT_FALSE(is_punctuation(0x20AC));  // the euro sign is a symbol
}

TEST(CharClass, MarksControlsWordsIdeographs) {
  EXPECT_TRUE(is_mark(0x301));
  EXPECT_TRUE(is_nonspacing_mark(0x301));
  EXPECT_TRUE(is_mark(0x903));
  EXPECT_FALSE(is_nonspacing_mark(0x903));
  EXPECT_TRUE(is_control(0x7));
  EXPECT_TRUE(is_control(0xAD));
  EXPECT_TRUE(is_control(0xE000));
  EXPECT_FALSE(is_control(U'a'));
  EXPECT_FALSE(is_control(0x378));  // unassigned
  for (const char32_t code : {U'a', U'9', U'_', char32_t{0xE9}, char32_t{0x301}, char32_t{0x200D},
                              char32_t{0x24B6}, char32_t{0x2160}}) {
    EXPECT_TRUE(is_word(code)) << static_cast<uint32_t>(code);
  }
  EXPECT_FALSE(is_word(U'-'));
  EXPECT_FALSE(is_word(0xBD));
  EXPECT_TRUE(is_cjk_ideograph(0x4E00));
  EXPECT_FALSE(is_cjk_ideograph(0x3042));
}

}  // namespace
}  // namespace invar
