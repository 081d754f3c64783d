// Untrusted names in messages.
#include "formats/printable.h"

#include <gtest/gtest.h>

namespace invar {
namespace {

TEST(PrintableTest, KeepsPlainTextAndEscapesTheRest) {
  EXPECT_EQ(printable("model.layers.0 'x' ~"), "model.layers.0 'x' ~");
  EXPECT_EQ(printable(std::string_view("a\x1b[31m\n\x7f\0", 8)), R"(a\x1b[31m\x0a\x7f)");
  EXPECT_EQ(printable("\xc2\x9b"), R"(\xc2\x9b)");  // a control sequence in UTF-8
  EXPECT_EQ(printable(""), "");
}

TEST(PrintableTest, ShortensLongText) {
  EXPECT_EQ(printable(std::string(120, 'a')), std::string(120, 'a'));
  EXPECT_EQ(printable(std::string(121, 'a')), std::string(120, 'a') + "...");
  EXPECT_EQ(printable("abcdef", 3), "abc...");
}

TEST(PrintableTest, ShowsTheFirstFewOfMany) {
  std::vector<std::string> items{"a", "b"};
  EXPECT_EQ(first_few({}), "");
  EXPECT_EQ(first_few(items), "a; b");
  items.resize(8, "c");
  EXPECT_EQ(first_few(items, ","), "a,b,c,c,c,c,c,c");
  items.resize(4096, "c");
  EXPECT_EQ(first_few(items, ","), "a,b,c,c,c,c,c,c,and 4088 more");
}

}  // namespace
}  // namespace invar
