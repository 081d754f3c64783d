// Selection against a full sort, with many ties and numbers that are none.
#include "engine/top_tokens.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace invar {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<ScoredToken> by_sorting(std::span<const float> scores, size_t k) {
  std::vector<ScoredToken> all;
  for (size_t id = 0; id < scores.size(); ++id) {
    if (scores[id] == scores[id]) {
      all.push_back({.score = scores[id], .token_id = static_cast<int32_t>(id)});
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  all.resize(std::min(all.size(), k));
  return all;
}

TEST(TopTokens, EqualsAFullSort) {
  std::mt19937 random(99);
  for (int turn = 0; turn < 500; ++turn) {
    // Few distinct values, so that ties fall on every border.
    const int values = 1 + static_cast<int>(random() % 50);
    std::vector<float> scores(1 + random() % 3000);
    for (float& score : scores) {
      score = static_cast<float>(random() % values) * 0.25f;
      if (random() % 50 == 0) {
        score = random() % 2 == 0 ? -kInfinity : kNan;
      }
    }
    for (const int64_t k : {1, 2, 7, 64, 1000, 5000}) {
      ASSERT_EQ(select_top(scores, k), by_sorting(scores, static_cast<size_t>(k))) << turn;
    }
    const auto first = by_sorting(scores, 1);
    if (!first.empty()) {
      ASSERT_EQ(highest_token(scores), first.front()) << turn;
    }
  }
}

TEST(TopTokens, AscendingScoresAreTheWorstCase) {
  std::vector<float> scores(10000);
  for (size_t i = 0; i < scores.size(); ++i) {
    scores[i] = static_cast<float>(i);
  }
  EXPECT_EQ(select_top(scores, 5), by_sorting(scores, 5));
}

TEST(TopTokens, NothingIsANumber) {
  const std::vector<float> scores(20, kNan);
  EXPECT_TRUE(select_top(scores, 3).empty());
  EXPECT_EQ(highest_token(scores).score, -kInfinity);
}

}  // namespace
}  // namespace invar
