// Stop strings in texts that are cut anywhere.
#include "server/stop_matcher.h"

#include <gtest/gtest.h>

namespace invar {
namespace {

struct Outcome {
  std::string text;
  bool stopped = false;
  bool operator==(const Outcome&) const = default;
};

// Pushes `text` in pieces of `bytes` and checks that no piece is handed out too early.
Outcome run(const std::vector<std::string>& stops, const std::string& text, size_t bytes) {
  StopMatcher matcher(stops);
  Outcome outcome;
  for (size_t at = 0; at < text.size() && !matcher.stopped(); at += bytes) {
    outcome.text += matcher.push(std::string_view(text).substr(at, bytes));
  }
  outcome.stopped = matcher.stopped();
  if (!outcome.stopped) {
    outcome.text += matcher.flush();
  }
  return outcome;
}

// By definition: the stop string that ends first, and of those the longest.
Outcome expected(const std::vector<std::string>& stops, const std::string& text) {
  for (size_t end = 1; end <= text.size(); ++end) {
    size_t longest = 0;
    for (const std::string& stop : stops) {
      if (std::string_view(text).substr(0, end).ends_with(stop)) {
        longest = std::max(longest, stop.size());
      }
    }
    if (longest > 0) {
      return {.text = text.substr(0, end - longest), .stopped = true};
    }
  }
  return {.text = text};
}

TEST(StopMatcher, WithoutStopsNothingIsHeld) {
  StopMatcher matcher({});
  EXPECT_EQ(matcher.push("abc"), "abc");
  EXPECT_EQ(matcher.flush(), "");
}

TEST(StopMatcher, HoldsWhatMayBecomeAStop) {
  StopMatcher matcher({"END"});
  EXPECT_EQ(matcher.push("the E"), "the ");
  EXPECT_EQ(matcher.push("N"), "");
  EXPECT_EQ(matcher.push("E"), "EN");  // "ENE": the last E may begin one
  EXPECT_EQ(matcher.push("ND and more"), "");
  EXPECT_TRUE(matcher.stopped());
  EXPECT_EQ(matcher.push("more"), "");
}

TEST(StopMatcher, FlushGivesWhatWasHeld) {
  StopMatcher matcher({"END"});
  EXPECT_EQ(matcher.push("xEN"), "x");
  EXPECT_EQ(matcher.flush(), "EN");
  EXPECT_FALSE(matcher.stopped());
}

TEST(StopMatcher, TheStopThatEndsFirstWins) {
  EXPECT_EQ(run({"abc", "b"}, "xabcd", 5), (Outcome{.text = "xa", .stopped = true}));
  EXPECT_EQ(run({"bc", "abc"}, "xabcd", 5), (Outcome{.text = "x", .stopped = true}));
}

// Every text over a small alphabet, every cut, against the definition.
TEST(StopMatcher, CutsDoNotMatter) {
  const std::vector<std::vector<std::string>> cases = {
      {"aa"}, {"aab"}, {"aba"}, {"abab", "ba"}, {"b", "abb"}, {"aaaa", "ab", "bb"}, {"abcabd"}};
  for (const std::vector<std::string>& stops : cases) {
    for (int number = 0; number < 3 * 3 * 3 * 3 * 3 * 3 * 3; ++number) {
      std::string text;
      for (int rest = number, i = 0; i < 7; ++i, rest /= 3) {
        text += static_cast<char>('a' + rest % 3);
      }
      for (size_t bytes = 1; bytes <= text.size(); ++bytes) {
        ASSERT_EQ(run(stops, text, bytes), expected(stops, text))
            << stops[0] << " in " << text << " by " << bytes;
      }
    }
  }
}

}  // namespace
}  // namespace invar
