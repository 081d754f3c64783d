// The best cut by score, unknown text, byte fallback.
#include "text/unigram.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "formats/expect_error.h"

namespace invar {
namespace {

using Tokens = std::vector<std::string>;

struct Scored {
  Vocabulary vocabulary;
  std::vector<double> scores;

  void add(std::string_view token, double score) {
    EXPECT_TRUE(vocabulary.add(vocabulary.size(), token));
    scores.push_back(score);
  }
  Tokens encode(std::string_view piece, UnigramOptions options,
                const std::vector<bool>& unmatched = {}) const {
    const Unigram model(vocabulary, scores, options, unmatched);
    std::vector<int32_t> ids;
    StopCheck never;
    model.encode(piece, never, ids);
    Tokens tokens;
    for (const int32_t id : ids) {
      tokens.emplace_back(*vocabulary.token(id));
    }
    return tokens;
  }
};

Scored small() {
  Scored scored;
  scored.add("<unk>", 0);
  scored.add("a", -3);
  scored.add("b", -3);
  scored.add("ab", -4);
  scored.add("aba", -9.5);
  return scored;
}

TEST(Unigram, TakesTheCutOfTheHighestScore) {
  EXPECT_EQ(small().encode("aba", {0, false}), (Tokens{"ab", "a"}));
  EXPECT_EQ(small().encode("bb", {0, false}), (Tokens{"b", "b"}));
  EXPECT_EQ(small().encode("", {0, false}), Tokens{});
}

TEST(Unigram, EqualsATrialOfAllCuts) {
  std::mt19937 random(5);
  const Scored scored = small();
  for (int round = 0; round < 100; ++round) {
    std::string text;
    for (size_t i = 0; i < 1 + random() % 9; ++i) {
      text += random() % 2 == 0 ? 'a' : 'b';
    }
    double best = -1e9;
    const std::function<void(size_t, double)> cut = [&](size_t at, double score) {
      if (at == text.size()) {
        best = std::max(best, score);
      }
      for (size_t end = at + 1; end <= text.size(); ++end) {
        if (const auto id = scored.vocabulary.id_of(text.substr(at, end - at))) {
          cut(end, score + scored.scores[static_cast<size_t>(*id)]);
        }
      }
    };
    cut(0, 0);
    double found = 0;
    for (const std::string& token : scored.encode(text, {0, false})) {
      found += scored.scores[static_cast<size_t>(*scored.vocabulary.id_of(token))];
    }
    EXPECT_DOUBLE_EQ(found, best) << text;
  }
}

TEST(Unigram, UnknownRunsAreOneToken) {
  EXPECT_EQ(small().encode("xéa", {0, false}), (Tokens{"<unk>", "a"}));
  EXPECT_EQ(small().encode("axa", {0, false}), (Tokens{"a", "<unk>", "a"}));
}

TEST(Unigram, ByteFallbackNeedsAllBytes) {
  Scored scored = small();
  scored.add("<0xC3>", -100);
  EXPECT_EQ(scored.encode("é", {0, true}), (Tokens{"<unk>"}));
  scored.add("<0xA9>", -100);
  EXPECT_EQ(scored.encode("é", {0, true}), (Tokens{"<0xC3>", "<0xA9>"}));
}

TEST(Unigram, UnmatchedTokensAreNotChosen) {
  std::vector<bool> unmatched(5, false);
  unmatched[3] = true;
  EXPECT_EQ(small().encode("ab", {0, false}, unmatched), (Tokens{"a", "b"}));
}

TEST(Unigram, WithoutUnknownTokenItSaysWhatIsMissing) {
  expect_error(
      [] {
        small().encode("ax", {std::nullopt, false});
      },
      Code::kBadArgument, "text: no token for 'x', and the vocabulary has no unknown token");
}

}  // namespace
}  // namespace invar
