// Texts to numbers.
#include "text/jinja/number_parsing.h"

#include <gtest/gtest.h>

#include <cmath>

namespace invar::jinja {
namespace {

TEST(NumberParsing, ReadsIntegers) {
  const auto is = [](std::string_view text, int base, int64_t expected) {
    const std::optional<Integer> value = parse_integer(text, base);
    return value.has_value() && *value == expected;
  };
  EXPECT_TRUE(is("0", 10, 0));
  EXPECT_TRUE(is(" -42\n", 10, -42));
  EXPECT_TRUE(is("+1_000", 10, 1000));
  EXPECT_TRUE(is("ff", 16, 255));
  EXPECT_TRUE(is("0xFf", 16, 255));
  EXPECT_TRUE(is("0x_f", 0, 15));
  EXPECT_TRUE(is("0b11", 0, 3));
  EXPECT_TRUE(is("0o17", 8, 15));
  EXPECT_TRUE(is("z", 36, 35));
  EXPECT_TRUE(is("\u0661\u0662", 10, 12));  // Arabic digits
  for (const std::string_view bad : {"", " ", "-", "1__0", "_1", "1_", "0x1", "1.0", "1a", "é",
                                     "340282366920938463463374607431768211456"}) {
    EXPECT_FALSE(parse_integer(bad, 10).has_value()) << bad;
  }
}

TEST(NumberParsing, ReadsFloats) {
  EXPECT_EQ(parse_float(" -1.5e3 "), -1500.0);
  EXPECT_EQ(parse_float("1_0.2_5"), 10.25);
  EXPECT_EQ(parse_float(".5"), 0.5);
  EXPECT_EQ(parse_float("5."), 5.0);
  EXPECT_EQ(parse_float(" \uff13.\uff15 "), 3.5);  // wide digits
  EXPECT_EQ(parse_float("+Infinity"), HUGE_VAL);
  EXPECT_EQ(parse_float("-inf"), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(*parse_float("NaN")));
  EXPECT_EQ(parse_float("1e999"), HUGE_VAL);
  EXPECT_EQ(parse_float("-1E-999"), 0.0);
  for (const std::string_view bad :
       {"", "e5", "1e", "--1", "+-1", "1_.5", "nan(1)", "0x1", "1 2"}) {
    EXPECT_FALSE(parse_float(bad).has_value()) << bad;
  }
}

TEST(NumberParsing, CutsFractionsOff) {
  EXPECT_TRUE(truncated(-3.9) == -3);
  EXPECT_TRUE(truncated(0x1p100) == Integer{1} << 100);
  for (const double bad : {HUGE_VAL, -HUGE_VAL, std::nan(""), 0x1p127}) {
    EXPECT_FALSE(truncated(bad).has_value());
  }
}

}  // namespace
}  // namespace invar::jinja
