// SentencePiece's byte-pair encoding.
#include "text/scored_bpe.h"

#include <gtest/gtest.h>

#include "text/stopped.h"

namespace invar {
namespace {

using Tokens = std::vector<std::string>;

struct Scored {
  Vocabulary vocabulary;
  std::vector<float> scores;

  void add(std::string_view token, float score) {
    EXPECT_TRUE(vocabulary.add(vocabulary.size(), token));
    scores.push_back(score);
  }
  Tokens encode(std::string_view piece, std::optional<int32_t> unk = std::nullopt) const {
    const ScoredBpe bpe(vocabulary, scores, unk);
    ScoredBpeScratch scratch;
    std::vector<int32_t> ids;
    bpe.encode(piece, scratch, ids);
    Tokens tokens;
    for (const int32_t id : ids) {
      tokens.emplace_back(*vocabulary.token(id));
    }
    return tokens;
  }
};

Scored small() {
  Scored scored;
  scored.add("a", -10);
  scored.add("b", -11);
  scored.add("c", -12);
  scored.add("▁", -13);
  scored.add("bc", -1);
  scored.add("ab", -2);
  scored.add("abc", -3);
  scored.add("▁a", -4);
  return scored;
}

TEST(ScoredBpe, MergesTheHighestScoreFirst) {
  EXPECT_EQ(small().encode("abc"), (Tokens{"abc"}));  // bc, then abc
  EXPECT_EQ(small().encode("abab"), (Tokens{"ab", "ab"}));
  EXPECT_EQ(small().encode("▁abc"), (Tokens{"▁", "abc"}));
  EXPECT_EQ(small().encode("▁ac▁ac"), (Tokens{"▁a", "c", "▁a", "c"}));
  EXPECT_EQ(small().encode(""), Tokens{});
}

TEST(ScoredBpe, TheLeftmostOfEqualScoresMergesFirst) {
  Scored scored;
  scored.add("a", 0);
  scored.add("aa", 1);
  EXPECT_EQ(scored.encode("aaa"), (Tokens{"aa", "a"}));
}

TEST(ScoredBpe, UnknownCharactersBecomeBytesOrUnknown) {
  Scored scored = small();
  EXPECT_EQ(scored.encode("aéa"), (Tokens{"a", "a"}));
  EXPECT_EQ(scored.encode("aéa", 2), (Tokens{"a", "c", "a"}));
  scored.add("<0xC3>", 0);
  scored.add("<0xA9>", 0);
  EXPECT_EQ(scored.encode("aéa", 2), (Tokens{"a", "<0xC3>", "<0xA9>", "a"}));
}

TEST(ScoredBpe, TokensWithInnerMarksAreFound) {
  Scored scored = small();
  scored.add("c▁a", 5);
  EXPECT_EQ(scored.encode("ac▁ac"), (Tokens{"a", "c▁a", "c"}));
}

TEST(ScoredBpe, StopsWhenNobodyWaits) {
  const Scored scored = small();
  const ScoredBpe bpe(scored.vocabulary, scored.scores, std::nullopt);
  ScoredBpeScratch scratch{.cache = {}, .stop = StopCheck(test::stopped_token())};
  std::vector<int32_t> ids;
  test::expect_stopped([&] { bpe.encode(std::string(20'000, 'a'), scratch, ids); });
}

}  // namespace
}  // namespace invar
