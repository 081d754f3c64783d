// The dialect of published files: what is rewritten, what stays, what is refused. The behaviour was
// compared with the reference library over all characters.
#include "text/regex_syntax.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"
#include "text/regex.h"

namespace invar {
namespace {

std::string rewritten(std::string_view pattern) {
  return pcre2_from_oniguruma(pattern, "f");
}

bool matches(std::string_view pattern, std::string_view text) {
  const std::vector<TextSpan> found = Regex::compile(pattern, "f").find_all(text);
  return found.size() == 1 && found[0] == TextSpan{0, text.size()};
}

TEST(RegexSyntax, OrdinaryPatternsStay) {
  for (const char* pattern :
       {R"((?i:'s|'t)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3})", R"([!"#\[\]\\]+)", "(?<=a)b(?!c)|x{2}",
        R"(\d+\\s)", "[]a]", "a{b}", "x{1,}"}) {
    EXPECT_EQ(rewritten(pattern), pattern);
  }
}

TEST(RegexSyntax, WhiteSpace) {
  EXPECT_TRUE(matches(R"(\s)", "\u3000"));
  EXPECT_FALSE(matches(R"(\s)", "\u180E"));
  EXPECT_TRUE(matches(R"(\S)", "\u180E"));
  EXPECT_TRUE(matches(R"([\s]+)", "\t\u2028"));
}

TEST(RegexSyntax, Words) {
  EXPECT_TRUE(matches(R"(\w+)", "aé\u0301_9Ⅷ²½"));
  EXPECT_FALSE(matches(R"([\w]+)", "²"));  // only \w alone has it
  EXPECT_TRUE(matches(R"(\W)", "€"));
  EXPECT_TRUE(matches(R"(\W)", "\u2070"));
  EXPECT_EQ(Regex::compile(R"(\b)", "f").find_all("ab c").size(), 4u);
  EXPECT_EQ(Regex::compile(R"(\B)", "f").find_all("ab").size(), 1u);
  EXPECT_TRUE(matches(R"([\b])", "\b"));
}

TEST(RegexSyntax, HexadecimalDigits) {
  EXPECT_TRUE(matches(R"(\h+)", "09afAF"));
  EXPECT_FALSE(matches(R"(\h)", " "));
  EXPECT_TRUE(matches(R"(\H)", " "));
  EXPECT_TRUE(matches(R"([\hx]+)", "x0"));
  EXPECT_TRUE(matches(R"(\u00e9)", "é"));
}

TEST(RegexSyntax, Properties) {
  EXPECT_TRUE(matches(R"(\p{Han})", "中"));
  EXPECT_FALSE(matches(R"(\p{Han})", "\u3001"));  // used with Han, but not of it
  EXPECT_TRUE(matches(R"([^\p{^Han}]+)", "中文"));
  EXPECT_TRUE(matches(R"(\p{Letter}\p{Decimal_Number}\p{Punct})", "a1."));
  EXPECT_TRUE(matches(R"(\pL\PL)", "a1"));
  EXPECT_TRUE(matches(R"(\p{Script=Latin})", "a"));
}

TEST(RegexSyntax, PosixSets) {
  EXPECT_TRUE(matches("[[:punct:]]+", ".$€"));
  EXPECT_TRUE(matches("[[:word:][:space:]]+", "a \u0301"));
  EXPECT_TRUE(matches("[^[:digit:][:alpha:]]", "-"));
  EXPECT_TRUE(
      matches("[[:upper:]][[:lower:]][[:xdigit:]][[:blank:]][[:cntrl:]][[:alnum:]]", "Aaf\t\x07z"));
}

TEST(RegexSyntax, NestedAndIntersectedClasses) {
  EXPECT_TRUE(matches("[a[bc]]+", "abc"));
  EXPECT_TRUE(matches("[^a[bc]]+", "xyz"));
  EXPECT_FALSE(matches("[^a[bc]]", "b"));
  EXPECT_TRUE(matches("[a[^a-y]]+", "az"));
  EXPECT_TRUE(matches(R"([\p{L}&&[^\p{Han}]]+)", "ab"));
  EXPECT_FALSE(matches(R"([\p{L}&&[^\p{Han}]])", "中"));
  EXPECT_TRUE(matches(R"([^\p{L}&&[a-z]]+)", "中1"));
  EXPECT_FALSE(matches(R"([^\p{L}&&[a-z]])", "q"));
  EXPECT_TRUE(matches("[a-z&&b-y&&c-x]+", "cx"));
}

TEST(RegexSyntax, IntervalsAndOptions) {
  EXPECT_EQ(rewritten("a{,3}"), "a{0,3}");
  EXPECT_EQ(rewritten("a{1,3}+"), "a{1,}");
  EXPECT_EQ(rewritten("a{0,3}+"), "a{0,}");
  EXPECT_EQ(rewritten("(?m:.)(?mi)x"), "(?s:.)(?si)x");
  EXPECT_TRUE(matches("(?m:a.b)", "a\nb"));
  EXPECT_FALSE(matches("a.b", "a\nb"));
}

TEST(RegexSyntax, RefusesWhatItCannotRewrite) {
  expect_error([] { rewritten(R"(a[\W])"); }, Code::kUnsupported,
               R"(f: pattern at byte 4: \W inside a class is not supported: 'a[\W]')");
  expect_error([] { rewritten(R"([\H])"); }, Code::kUnsupported,
               R"(f: pattern at byte 3: \H inside a class is not supported: '[\H]')");
  expect_error([] { rewritten("[[:graph:]]"); }, Code::kUnsupported,
               "f: pattern at byte 1: the class [:graph:] is not supported: '[[:graph:]]'");
  expect_error([] { rewritten("a{2,3}+"); }, Code::kUnsupported,
               "f: pattern at byte 1: a repeated interval whose minimum is above 1 is not "
               "supported: 'a{2,3}+'");
  expect_error([] { rewritten(R"(\u12)"); }, Code::kUnsupported,
               R"(f: pattern at byte 0: \u without four hexadecimal digits is not supported: )"
               R"('\u12')");
  EXPECT_THROW(rewritten(std::string(100, '[')), Error);
}

TEST(RegexSyntax, UnfinishedConstructsAreLeftToTheCompiler) {
  for (const char* pattern : {"[a", "\\", "\\p{L", "\\p", "a{", "(?", "[\\"}) {
    EXPECT_NO_THROW(rewritten(pattern)) << pattern;
  }
}

}  // namespace
}  // namespace invar
