// Base64: good texts, padding, and what is not base64.
#include "text/base64.h"

#include <gtest/gtest.h>

namespace invar {
namespace {

TEST(Base64, DecodesTheExamplesOfTheStandard) {
  EXPECT_EQ(decode_base64(""), "");
  EXPECT_EQ(decode_base64("Zg=="), "f");
  EXPECT_EQ(decode_base64("Zm8="), "fo");
  EXPECT_EQ(decode_base64("Zm9v"), "foo");
  EXPECT_EQ(decode_base64("Zm9vYmFy"), "foobar");
  EXPECT_EQ(decode_base64("+/+/"), "\xFB\xFF\xBF");
}

TEST(Base64, RefusesOtherTexts) {
  for (const char* text : {"Z", "Zg=", "Zg==Zg==", "Z===", "Zm9*", "=m9v", "Zm=v"}) {
    EXPECT_FALSE(decode_base64(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace invar
