// The sampler against a plain, slow definition of each step, and against the distribution that it
// is meant to draw from.
#include "engine/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "engine/gumbel.h"

namespace invar {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> random_logits(uint32_t seed, size_t count, float spread) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0f, spread);
  std::vector<float> logits(count);
  for (float& logit : logits) {
    logit = normal(random);
  }
  return logits;
}

int32_t sampled(std::span<const float> logits, const SamplingParams& params, int64_t position = 0,
                int32_t choice = 0) {
  Sampler sampler;
  return sampler
      .sample({.logits = logits, .params = &params, .choice = choice, .position = position})
      .value()
      .token_id;
}

// The definition, by a full sort and a double sum, without any short cut.
int32_t defined(const std::vector<float>& logits, const SamplingParams& params, int64_t position) {
  std::vector<int32_t> ids(logits.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    ids[i] = static_cast<int32_t>(i);
  }
  std::stable_sort(ids.begin(), ids.end(),
                   [&](int32_t a, int32_t b) { return logits[a] > logits[b]; });
  if (params.top_k > 0 && params.top_k < static_cast<int32_t>(ids.size())) {
    ids.resize(params.top_k);
  }
  const float highest = logits[ids[0]];
  const auto scaled = [&](int32_t id) { return (logits[id] - highest) / params.temperature; };
  double total = 0;
  for (const int32_t id : ids) {
    total += std::exp(static_cast<double>(scaled(id)));
  }
  if (params.top_p < 1) {
    double sum = 0;
    size_t kept = 0;
    while (kept < ids.size() && sum < params.top_p * total) {
      sum += std::exp(static_cast<double>(scaled(ids[kept++])));
    }
    ids.resize(std::max<size_t>(kept, 1));
  }
  int32_t best = -1;
  float best_value = 0;
  for (const int32_t id : ids) {
    if (params.min_p > 0 && std::exp(static_cast<double>(scaled(id))) < params.min_p) {
      continue;
    }
    const float value =
        scaled(id) +
        gumbel(noise_word({.seed = params.seed, .choice = 0, .position = position}, id));
    if (best < 0 || value > best_value || (value == best_value && id < best)) {
      best = id;
      best_value = value;
    }
  }
  return best;
}

TEST(Sampler, GreedyTakesTheHighestAndTheLowerIdOnATie) {
  const std::vector<float> logits = {1, 3, 2, 3, kNan};
  EXPECT_EQ(sampled(logits, {.temperature = 0}), 1);
  EXPECT_EQ(sampled(logits, {.temperature = 0, .top_k = 2, .seed = 9}), 1);
  EXPECT_EQ(sampled(logits, {.temperature = 5, .top_k = 1, .seed = 9}), 1);
  EXPECT_EQ(sampled(logits, {.temperature = 1e-30f, .logit_bias = {{3, -1}}, .seed = 9}), 1);
}

TEST(Sampler, BrokenLogitsGiveNothing) {
  Sampler sampler;
  const SamplingParams params;
  for (const float value : {kNan, -kInfinity, kInfinity}) {
    const std::vector<float> logits(10, value);
    EXPECT_EQ(sampler.sample({.logits = logits, .params = &params}), std::nullopt);
  }
  // A bias beyond f32 is the client's; it must not crash either.
  const SamplingParams biased{.logit_bias = {{0, 3e38f}, {0, 3e38f}}};
  const std::vector<float> logits(10, 1.0f);
  EXPECT_EQ(sampler.sample({.logits = logits, .params = &biased}), std::nullopt);
}

TEST(Sampler, ShortCutsDoNotChangeTheToken) {
  std::mt19937 random(31);
  for (int turn = 0; turn < 1500; ++turn) {
    const size_t count = 1 + random() % 3000;
    const float spread = 0.1f + static_cast<float>(random() % 50) * 0.1f;
    std::vector<float> logits = random_logits(random(), count, spread);
    if (turn % 3 == 0) {  // many ties
      for (float& logit : logits) {
        logit = std::round(logit);
      }
    }
    SamplingParams params{.temperature = 0.1f + static_cast<float>(random() % 30) * 0.1f,
                          .seed = random()};
    params.top_k = random() % 2 == 0 ? 0 : static_cast<int32_t>(1 + random() % 200);
    params.top_p = random() % 2 == 0 ? 1.0f : 0.01f + static_cast<float>(random() % 99) * 0.01f;
    params.min_p = random() % 3 != 0 ? 0.0f : static_cast<float>(random() % 100) * 0.01f;
    const auto position = static_cast<int64_t>(random() % 100000);
    ASSERT_EQ(sampled(logits, params, position), defined(logits, params, position))
        << "turn " << turn << " count " << count << " top_k " << params.top_k << " top_p "
        << params.top_p << " min_p " << params.min_p;
  }
}

// Chi-squared over the probabilities that temperature and filters leave.
double chi_squared(const std::map<int32_t, double>& expected, const std::map<int32_t, int>& counts,
                   int draws) {
  double sum = 0;
  for (const auto& [id, count] : counts) {
    EXPECT_TRUE(expected.contains(id)) << id;
  }
  for (const auto& [id, probability] : expected) {
    const auto found = counts.find(id);
    const double count = found == counts.end() ? 0 : found->second;
    const double mean = probability * draws;
    sum += (count - mean) * (count - mean) / mean;
  }
  return sum;
}

TEST(Sampler, DrawsByProbability) {
  const std::vector<float> logits = {0.0f, 1.0f, 2.0f, -1.0f, 0.5f, 2.0f};
  constexpr int kDraws = 60000;
  struct Case {
    SamplingParams params;
    std::vector<int32_t> kept;
  };
  const Case cases[] = {
      {{.temperature = 1}, {0, 1, 2, 3, 4, 5}},
      {{.temperature = 2}, {0, 1, 2, 3, 4, 5}},
      {{.temperature = 1, .top_k = 3}, {1, 2, 5}},
      {{.temperature = 1, .top_p = 0.7f}, {2, 5}},
      {{.temperature = 1, .top_p = 0.75f}, {1, 2, 5}},
      {{.temperature = 1, .min_p = 0.2f}, {1, 2, 4, 5}},
  };
  for (const Case& item : cases) {
    std::map<int32_t, double> expected;
    double total = 0;
    for (const int32_t id : item.kept) {
      expected[id] = std::exp(logits[id] / item.params.temperature);
      total += expected[id];
    }
    for (auto& [id, probability] : expected) {
      probability /= total;
    }
    for (const bool by_position : {true, false}) {
      SamplingParams params = item.params;
      std::map<int32_t, int> counts;
      for (int i = 0; i < kDraws; ++i) {
        params.seed = by_position ? 17 : static_cast<uint64_t>(i);
        counts[sampled(logits, params, by_position ? i : 3)] += 1;
      }
      // Five degrees of freedom at most: above 25.7 with probability 1e-4.
      EXPECT_LT(chi_squared(expected, counts, kDraws), 25.7)
          << "top_k " << params.top_k << " top_p " << params.top_p << " by " << by_position;
    }
  }
}

TEST(Sampler, ChoicesAndSeedsDrawApart) {
  const std::vector<float> logits(1000, 0.0f);
  std::map<int32_t, int> seen;
  for (int32_t choice = 0; choice < 20; ++choice) {
    seen[sampled(logits, {.seed = 1}, 5, choice)] += 1;
  }
  EXPECT_GT(seen.size(), 15u);
  EXPECT_NE(sampled(logits, {.seed = 1}), sampled(logits, {.seed = 2}));
}

TEST(Sampler, PenaltiesFollowTheirFormulas) {
  TokenHistory history;
  const std::vector<int32_t> prompt = {0, 1, 1};
  history.add_prompt(prompt);
  history.add_generated(2);
  history.add_generated(2);
  history.add_generated(0);
  const auto winner = [&](const std::vector<float>& logits, SamplingParams params) {
    params.temperature = 0;
    Sampler sampler;
    return sampler.sample({.logits = logits, .params = &params, .history = &history})
        .value()
        .token_id;
  };
  // Repetition: tokens of prompt and answer alike, positive logits divided, negative multiplied.
  EXPECT_EQ(winner({1, 4, 1, 2.1f}, {.repetition_penalty = 2}), 3);
  EXPECT_EQ(winner({1, 4, 1, 1.9f}, {.repetition_penalty = 2}), 1);
  EXPECT_EQ(winner({-9, -1, -9, -1.9f}, {.repetition_penalty = 2}), 3);
  EXPECT_EQ(winner({-9, -1, -9, -2.1f}, {.repetition_penalty = 2}), 1);
  // Presence: once for tokens of the answer, not for the prompt's.
  EXPECT_EQ(winner({0, 3, 3.4f, 0}, {.presence_penalty = 0.5f}), 1);
  EXPECT_EQ(winner({0, 3, 3.6f, 0}, {.presence_penalty = 0.5f}), 2);
  EXPECT_EQ(winner({3.4f, 3, 0, 0}, {.presence_penalty = 0.5f}), 1);
  // Frequency: as often as the token stands in the answer.
  EXPECT_EQ(winner({0, 3, 3.9f, 0}, {.frequency_penalty = 0.5f}), 1);
  EXPECT_EQ(winner({0, 3, 4.1f, 0}, {.frequency_penalty = 0.5f}), 2);
  EXPECT_EQ(winner({3.6f, 3, 0, 0}, {.frequency_penalty = 0.5f}), 0);
  // Bias comes first: 1 + 3 is positive, so it is divided.
  EXPECT_EQ(winner({1, 0, 0, 2.1f}, {.repetition_penalty = 2, .logit_bias = {{0, 3}}}), 3);
  EXPECT_EQ(winner({1, 0, 0, 1.9f}, {.repetition_penalty = 2, .logit_bias = {{0, 1}, {0, 2}}}), 0);
}

TEST(Sampler, ReportsLogprobsOfTheUnprocessedLogits) {
  const std::vector<float> logits = {1, 2, 3, 3};
  const SamplingParams params{
      .temperature = 0, .logit_bias = {{0, 100}}, .logprobs = true, .top_logprobs = 3};
  Sampler sampler;
  const auto token = sampler.sample({.logits = logits, .params = &params}).value();
  const double sum = std::exp(1.0) + std::exp(2.0) + 2 * std::exp(3.0);
  EXPECT_EQ(token.token_id, 0);
  EXPECT_NEAR(token.logprob, 1 - std::log(sum), 1e-6);
  ASSERT_EQ(token.top.size(), 3u);
  EXPECT_EQ(token.top[0].token_id, 2);
  EXPECT_EQ(token.top[1].token_id, 3);
  EXPECT_EQ(token.top[2].token_id, 1);
  EXPECT_NEAR(token.top[2].logprob, 2 - std::log(sum), 1e-6);
}

// Tokens that every machine must draw: they are part of the numerics version.
TEST(Sampler, KeepsItsTokens) {
  const std::vector<float> logits = [] {
    std::vector<float> values(1000);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(static_cast<int>(i * 7919 % 1000) - 500) * 0.01f;
    }
    return values;
  }();
  std::vector<int32_t> tokens;
  for (int64_t position = 0; position < 8; ++position) {
    tokens.push_back(sampled(logits, {.temperature = 0.8f, .seed = 42}, position));
  }
  EXPECT_THAT(tokens, testing::ElementsAre(198, 198, 149, 791, 865, 741, 321, 136));
  tokens.clear();
  for (int64_t position = 0; position < 8; ++position) {
    tokens.push_back(
        sampled(logits, {.temperature = 0.8f, .top_k = 40, .top_p = 0.9f, .seed = 42}, position));
  }
  EXPECT_THAT(tokens, testing::ElementsAre(309, 889, 235, 25, 420, 741, 321, 136));
}

}  // namespace
}  // namespace invar
