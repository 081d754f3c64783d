// The nucleus against its definition: rank everything, then sum until the mass is reached.
#include "engine/nucleus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace invar {
namespace {

std::vector<ScoredToken> sorted(std::vector<ScoredToken> tokens) {
  std::sort(tokens.begin(), tokens.end(), ranks_before);
  return tokens;
}

std::vector<ScoredToken> defined(const ScaledRow& row, const NucleusLimits& limits) {
  std::vector<ScoredToken> ranked;
  for (size_t id = 0; id < row.scores.size(); ++id) {
    ranked.push_back({.score = row.scores[id], .token_id = static_cast<int32_t>(id)});
  }
  ranked = sorted(ranked);
  if (limits.top_k > 0 && static_cast<size_t>(limits.top_k) < ranked.size()) {
    ranked.resize(limits.top_k);
  }
  uint64_t total = 0;
  for (const ScoredToken& token : ranked) {
    total += row.probability(token.score);
  }
  const auto mass =
      static_cast<uint64_t>(static_cast<double>(limits.top_p) * static_cast<double>(total));
  uint64_t sum = 0;
  size_t kept = 0;
  do {
    sum += row.probability(ranked[kept].score);
    kept += 1;
  } while (sum < mass);
  ranked.resize(kept);
  return ranked;
}

TEST(Nucleus, IsNeverEmpty) {
  const std::vector<float> scores = {1, 3, 2};
  const ScaledRow row{.scores = scores, .highest = 3, .temperature = 1};
  for (const float top_p : {1e-44f, 1e-20f, 1e-9f}) {
    for (const int64_t top_k : {0, 2}) {
      const std::vector<ScoredToken> tokens = select_nucleus(row, {.top_k = top_k, .top_p = top_p});
      ASSERT_EQ(tokens.size(), 1u) << top_p << " " << top_k;
      EXPECT_EQ(tokens[0].token_id, 1);
    }
  }
}

TEST(Nucleus, EqualsItsDefinition) {
  std::mt19937 random(12);
  for (int turn = 0; turn < 60; ++turn) {
    // Wide and narrow, few and many values: the nucleus is found at the first look, the second, or
    // among all.
    std::normal_distribution<float> normal(0, 0.05f + static_cast<float>(random() % 60) * 0.1f);
    std::vector<float> scores(1 + random() % 9000);
    for (float& score : scores) {
      score = normal(random);
      score = turn % 2 == 0 ? score : static_cast<float>(static_cast<int>(score * 4)) * 0.25f;
    }
    const ScaledRow row{.scores = scores,
                        .highest = highest_token(scores).score,
                        .temperature = 0.3f + static_cast<float>(random() % 20) * 0.1f};
    for (const int64_t top_k : {0, 1, 50, 3000}) {
      for (const float top_p : {1e-6f, 0.3f, 0.9f, 0.999f}) {
        const NucleusLimits limits{.top_k = top_k, .top_p = top_p};
        ASSERT_EQ(sorted(select_nucleus(row, limits)), defined(row, limits))
            << "turn " << turn << " top_k " << top_k << " top_p " << top_p;
      }
    }
  }
}

TEST(Nucleus, TopPOfOneKeepsAllThatCounts) {
  const std::vector<float> scores = {1, 2, -100, 3};
  const ScaledRow row{.scores = scores, .highest = 3, .temperature = 1};
  EXPECT_EQ(select_nucleus(row, {.top_k = 2}).size(), 2u);
  EXPECT_EQ(select_nucleus(row, {}).size(), 3u);
}

}  // namespace
}  // namespace invar
