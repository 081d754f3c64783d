// Probabilities as whole numbers: accuracy against libm, limits, and sums in parts.
#include "engine/probability.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace invar {
namespace {

TEST(Probability, ExpIsWithinTwoUnitsInTheLastPlace) {
  for (float x = 0; x > kScaledMin; x -= 0.000513f) {
    const double exact = std::exp(static_cast<double>(x));
    ASSERT_NEAR(exp_of_clamped(x), exact, exact * 2 * 0x1p-23) << x;
  }
  EXPECT_EQ(exp_of_clamped(0), 1.0f);
}

TEST(Probability, CountsInUnits) {
  const ScaledRow row{.scores = {}, .highest = 2, .temperature = 0.5f};
  EXPECT_EQ(row.probability(2), uint64_t{1} << 40);
  EXPECT_NEAR(static_cast<double>(row.probability(1)), std::exp(-2.0) * 0x1p40, 0x1p18);
  EXPECT_EQ(row.probability(-12), 0u);
  EXPECT_EQ(row.probability(-std::numeric_limits<float>::infinity()), 0u);
  EXPECT_EQ(row.probability(std::numeric_limits<float>::quiet_NaN()), 0u);
}

TEST(Probability, TheSumIsExactWhateverTheLength) {
  std::mt19937 random(8);
  std::normal_distribution<float> normal(0, 4);
  for (const size_t count : {1, 63, 64, 65, 128, 1000}) {
    std::vector<float> scores(count);
    float highest = -100;
    for (float& score : scores) {
      score = normal(random);
      highest = std::max(highest, score);
    }
    const ScaledRow row{.scores = scores, .highest = highest, .temperature = 1.3f};
    uint64_t backwards = 0;
    for (size_t i = count; i-- > 0;) {
      backwards += row.probability(scores[i]);
    }
    EXPECT_EQ(sum_of_probabilities(row), backwards) << count;
    EXPECT_GE(backwards, uint64_t{1} << 40);
  }
}

// Bits that every machine must give: they are part of the numerics version.
TEST(Probability, KeepsItsBits) {
  EXPECT_EQ(std::bit_cast<uint32_t>(exp_of_clamped(-1.0f)), 1052531378u);
  EXPECT_EQ(std::bit_cast<uint32_t>(exp_of_clamped(-10.37f)), 939755465u);
}

}  // namespace
}  // namespace invar
