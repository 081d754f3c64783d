// Searching: matches, limits and errors. Dialect: regex_syntax_test.cc.
#include "text/regex.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"
#include "text/stopped.h"

namespace invar {
namespace {

std::vector<std::string> matches(std::string_view pattern, std::string_view text) {
  std::vector<std::string> found;
  for (const TextSpan& span : Regex::compile(pattern, "test").find_all(text)) {
    found.emplace_back(text.substr(span.begin, span.end - span.begin));
  }
  return found;
}

using Texts = std::vector<std::string>;

TEST(Regex, FindsLeftmostMatchesInOrder) {
  EXPECT_EQ(matches(R"(\p{L}+|\p{N})", "ab12é"), (Texts{"ab", "1", "2", "é"}));
  EXPECT_EQ(matches("x", "abc"), Texts{});
  EXPECT_EQ(matches(".", ""), Texts{});
}

TEST(Regex, EmptyMatchesAdvanceByACharacter) {
  EXPECT_EQ(matches("a*", "aaéa"), (Texts{"aa", "a"}));
  EXPECT_EQ(matches("b*", "aé"), (Texts{"", "", ""}));
  EXPECT_EQ(matches("(?=a)", "aba"), (Texts{"", ""}));
}

TEST(Regex, LinesEndEverywhere) {
  EXPECT_EQ(matches(R"(^\w|\w$)", "ab\ncd"), (Texts{"a", "b", "c", "d"}));
}

TEST(Regex, LiteralsMatchThemselves) {
  const Regex regex = Regex::literal("a.(é", "test");
  EXPECT_EQ(regex.find_all("xa.(éaa"), (std::vector<TextSpan>{{1, 6}}));
  EXPECT_TRUE(regex.find_all("axb").empty());
}

TEST(Regex, RefusesBadPatterns) {
  expect_error([] { Regex::compile("(a", "f.json: pattern"); }, Code::kBadFile,
               "f.json: pattern: pattern '(a': missing closing parenthesis");
  expect_error([] { Regex::compile("\xFF", "f"); }, Code::kBadFile, "f: pattern: expected UTF-8");
  const std::string long_pattern(Regex::kMaxPatternBytes + 1, 'a');
  expect_error([&] { Regex::compile(long_pattern, "f"); }, Code::kBadFile,
               "f: pattern: expected at most 32768 bytes, found 32769");
  expect_error([&] { Regex::literal(long_pattern, "f"); }, Code::kBadFile,
               "f: pattern: expected UTF-8 of at most 32768 bytes");
  EXPECT_THROW(Regex::compile(std::string(2000, '(') + std::string(2000, ')'), "f"), Error);
}

void expect_exhausted(const Regex& regex, const std::string& text) {
  try {
    regex.find_all(text);
    ADD_FAILURE() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(code_name(error.code()), code_name(Code::kExhausted));
    EXPECT_NE(std::string(error.what()).find("match limit exceeded"), std::string::npos)
        << error.what();
  }
}

TEST(Regex, ExponentialBacktrackingEndsInAnError) {
  const Regex regex = Regex::compile("(a|aa|aaa)+$", "f");
  expect_exhausted(regex, std::string(200, 'a') + "b");
}

TEST(Regex, TheBudgetIsForTheWholeText) {
  // No starting point needs many steps, but there are many of them.
  std::string text;
  for (int i = 0; i < 20'000; ++i) {
    text += "aaaaaaaaaaaaaaab";
  }
  expect_exhausted(Regex::compile("(a|aa|aaa)+$", "f"), text);
}

TEST(Regex, MoreThanTheFreeStepsIsNoError) {
  // About 2^14 steps at the first starting point, then fewer; the match is at the end.
  const std::string text = std::string(15, 'a') + "b" + std::string(3, 'a');
  const std::vector<TextSpan> found = Regex::compile("(?:a|aa)+$", "f").find_all(text);
  EXPECT_EQ(found, (std::vector<TextSpan>{{16, 19}}));
  EXPECT_TRUE(Regex::compile("(?:a|aa)+$", "f").find_all(std::string(20, 'a') + "b").empty());
}

TEST(Regex, DeepRecursionFallsBackToTheInterpreter) {
  // Each repetition of a capturing group takes stack in compiled code.
  const std::string text(200'000, 'a');
  const std::vector<TextSpan> found = Regex::compile("(?:(a)|b)*c?", "f").find_all(text);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front(), (TextSpan{0, text.size()}));
}

TEST(Regex, AMatchThatEndsBeforeItBeginsIsRefused) {
  const std::string pattern = R"((?(DEFINE)(?<x>ab\K))(?=(?&x)))";
  expect_error([&] { Regex::compile(pattern, "f").find_all("xab"); }, Code::kUnsupported,
               "f: pattern '" + pattern + "': a match that ends before it begins");
}

TEST(Regex, ALongSearchStopsWhenNobodyWaits) {
  StopCheck stop(test::stopped_token());
  const Regex regex = Regex::compile("(a|aa|aaa)+$", "f");
  test::expect_stopped([&] { regex.find_all(std::string(200, 'a') + "b", stop); });
}

}  // namespace
}  // namespace invar
