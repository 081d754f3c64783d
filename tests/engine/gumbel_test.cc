// The noise: its distribution, its bound, and that it hangs on all parts of its key.
#include "engine/gumbel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>
#include <vector>

namespace invar {
namespace {

TEST(Gumbel, EqualsItsFormulaInDouble) {
  for (uint64_t step = 0; step < 100000; ++step) {
    const auto word = static_cast<uint32_t>(step * 42949);
    const double v = (static_cast<double>(word) + 0.5) / 4294967296.0;
    const double exact = -std::log(-std::log1p(-v));
    // Two logarithms of half a unit each, and near 0 the cancellation in the outer one.
    ASSERT_NEAR(gumbel(word), exact, 4e-7 * std::max(1.0, std::abs(exact))) << word;
  }
}

TEST(Gumbel, IsFiniteAndBelowItsBoundsAtTheEdges) {
  std::vector<uint32_t> words = {0, 1, 2, 3, 0xffffffff, 0xfffffffe, 0x7fffffff, 0x80000000};
  for (int bit = 0; bit < 32; ++bit) {
    for (int offset = -3; offset <= 3; ++offset) {
      words.push_back((uint32_t{1} << bit) + static_cast<uint32_t>(offset));
    }
  }
  for (const uint32_t word : words) {
    const float noise = gumbel(word);
    EXPECT_GT(noise, -3.2f) << word;
    EXPECT_LT(noise, kGumbelMax) << word;
    EXPECT_LE(noise, gumbel_bound(word)) << word;
  }
  EXPECT_NEAR(gumbel(0), 33 * std::log(2.0), 1e-5);
}

TEST(Gumbel, NeverExceedsItsBound) {
  for (uint32_t group = 0; group < 100000; ++group) {
    for (const uint32_t word : noise_words({.seed = 3, .choice = 0, .position = 9}, group)) {
      ASSERT_LE(gumbel(word), gumbel_bound(word)) << word;
    }
  }
}

// The published distribution: mean 0.57722 (Euler's constant), variance pi^2 / 6.
TEST(Gumbel, HasTheMomentsOfItsDistribution) {
  constexpr int kGroups = 100000;
  double sum = 0;
  double squares = 0;
  for (int group = 0; group < kGroups; ++group) {
    for (const uint32_t word : noise_words({.seed = 11, .choice = 0, .position = 0}, group)) {
      const double noise = gumbel(word);
      sum += noise;
      squares += noise * noise;
    }
  }
  constexpr double kCount = kNoiseGroup * kGroups;
  const double mean = sum / kCount;
  // Five standard errors: sqrt(1.645 / count) = 0.002.
  EXPECT_NEAR(mean, 0.5772157, 0.0102);
  EXPECT_NEAR(squares / kCount - mean * mean, M_PI * M_PI / 6, 0.03);
}

// Bits that every machine must give: they are part of the numerics version.
TEST(Gumbel, KeepsItsBits) {
  const auto bits = [](uint32_t word) {
    const float noise = gumbel(word);
    uint32_t out = 0;
    std::memcpy(&out, &noise, sizeof(out));
    return out;
  };
  EXPECT_EQ(bits(0), 1102511529u);
  EXPECT_EQ(bits(0x12345678), 1076287159u);
  EXPECT_EQ(bits(0x9e3779b9), 1025302799u);
  EXPECT_EQ(bits(0xffffffff), 3225965013u);
}

TEST(Noise, HangsOnEveryPartOfItsKey) {
  const NoiseKey key{.seed = 5, .choice = 1, .position = 100};
  std::set<uint32_t> words;
  for (const NoiseKey& other :
       {key, NoiseKey{.seed = 6, .choice = 1, .position = 100},
        NoiseKey{.seed = 5 + (uint64_t{1} << 32), .choice = 1, .position = 100},
        NoiseKey{.seed = 5, .choice = 2, .position = 100},
        NoiseKey{.seed = 5, .choice = 1, .position = 101}}) {
    for (int32_t id : {0, 1, 2, 3, 4, 150000}) {
      words.insert(noise_word(other, id));
    }
  }
  EXPECT_EQ(words.size(), 30u);
  EXPECT_EQ(noise_word(key, 7), noise_words(key, 1)[3]);
}

}  // namespace
}  // namespace invar
