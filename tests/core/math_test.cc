// Accuracy of the elementary functions against long double libm, and their edge values.
#include "core/math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace invar {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Error of `found` in units in the last place of the exact result as an f32.
double error_ulp(float found, long double exact) {
  int exponent = 0;
  std::frexp(static_cast<double>(exact), &exponent);
  const double ulp = std::ldexp(1.0, std::max(exponent - 24, -149));
  return static_cast<double>(std::fabs(static_cast<long double>(found) - exact)) / ulp;
}

TEST(Math, ExpIsWithinOneUlp) {
  double worst = 0.0;
  for (uint64_t word = 0; word < 0x100000000u; word += 997) {
    const float x = std::bit_cast<float>(static_cast<uint32_t>(word));
    if (x >= kExpZeroBelow && x <= kExpInfinityAbove) {
      worst = std::max(worst, error_ulp(exp_f32(x), std::exp(static_cast<long double>(x))));
    }
  }
  EXPECT_LT(worst, 1.0);
}

TEST(Math, ExpAtItsEdges) {
  EXPECT_EQ(exp_f32(0.0f), 1.0f);
  EXPECT_EQ(exp_f32(-0.0f), 1.0f);
  EXPECT_EQ(exp_f32(-kInfinity), 0.0f);
  EXPECT_EQ(exp_f32(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(exp_f32(kNan)));
  EXPECT_TRUE(std::isnan(exp_f32(-kNan)));
  EXPECT_GT(exp_f32(kExpZeroBelow), 0.0f);
  EXPECT_EQ(exp_f32(std::nextafter(kExpZeroBelow, -kInfinity)), 0.0f);
  EXPECT_LT(exp_f32(kExpInfinityAbove), kInfinity);
  EXPECT_EQ(exp_f32(std::nextafter(kExpInfinityAbove, kInfinity)), kInfinity);
}

TEST(Math, ExpNeverExceedsOneBelowZero) {
  for (uint32_t word = std::bit_cast<uint32_t>(-0.0f); word < std::bit_cast<uint32_t>(-1.0f);
       word += 1009) {
    ASSERT_LE(exp_f32(std::bit_cast<float>(word)), 1.0f);
  }
}

// The largest error of `function` over a sample of all f32 up to `range` in size.
double worst_error(float (*function)(float), long double (*exact)(long double), float range) {
  double worst = 0.0;
  for (uint64_t word = 0; word < 0x100000000u; word += 4999) {
    const float x = std::bit_cast<float>(static_cast<uint32_t>(word));
    if (std::fabs(x) <= range) {
      const long double expected = exact(static_cast<long double>(x));
      if (std::fabs(expected) > 0x1p-100L) {
        worst = std::max(worst, error_ulp(function(x), expected));
      }
    }
  }
  return worst;
}

TEST(Math, ActivationsAreAccurate) {
  EXPECT_LT(worst_error(
                sigmoid_f32, [](long double x) { return 1.0L / (1.0L + std::exp(-x)); }, 60.0f),
            3.0);
  EXPECT_LT(
      worst_error(
          softplus_f32,
          [](long double x) { return std::max(x, 0.0L) + std::log1p(std::exp(-std::fabs(x))); },
          1e6f),
      4.0);
  EXPECT_LT(worst_error(
                tanh_f32, [](long double x) { return std::tanh(x); }, 1e6f),
            4.0);
}

TEST(Math, ActivationsAtTheirEdges) {
  EXPECT_EQ(sigmoid_f32(0.0f), 0.5f);
  EXPECT_EQ(sigmoid_f32(kInfinity), 1.0f);
  EXPECT_EQ(sigmoid_f32(-kInfinity), 0.0f);
  EXPECT_EQ(softplus_f32(-kInfinity), 0.0f);
  EXPECT_EQ(softplus_f32(kInfinity), kInfinity);
  EXPECT_EQ(softplus_f32(21.0f), 21.0f);
  EXPECT_EQ(tanh_f32(0.0f), 0.0f);
  EXPECT_EQ(tanh_f32(kInfinity), 1.0f);
  EXPECT_EQ(tanh_f32(-kInfinity), -1.0f);
  for (float (*function)(float) : {sigmoid_f32, softplus_f32, tanh_f32}) {
    EXPECT_TRUE(std::isnan(function(kNan)));
  }
}

TEST(Math, LogIsCloseToCorrectlyRounded) {
  double worst = 0.0;
  for (uint32_t word = 1; word < std::bit_cast<uint32_t>(kInfinity); word += 997) {
    const float x = std::bit_cast<float>(word);
    worst = std::max(worst, error_ulp(log_f32(x), std::log(static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 0.51);
}

TEST(Math, LogAtItsEdges) {
  EXPECT_EQ(log_f32(1.0f), 0.0f);
  EXPECT_EQ(log_f32(0.0f), -kInfinity);
  EXPECT_EQ(log_f32(-0.0f), -kInfinity);
  EXPECT_EQ(log_f32(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(log_f32(-1.0f)));
  EXPECT_TRUE(std::isnan(log_f32(-kInfinity)));
  EXPECT_TRUE(std::isnan(log_f32(kNan)));
}

TEST(Math, DoubleFunctionsHaveSmallRelativeErrors) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> argument(-700.0, 700.0);
  for (int i = 0; i < 200000; ++i) {
    const double x = argument(random);
    const long double e = std::exp(static_cast<long double>(x));
    ASSERT_LT(std::fabs(exp_f64(x) - e) / e, 1e-15L) << x;
    // Near 1 the logarithm is small, so arguments of all sizes and those near 1 are both tried.
    for (double y : {exp_f64(x), 1.0 + x / 7000.0}) {
      const long double l = std::log(static_cast<long double>(y));
      ASSERT_LE(std::fabs(log_f64(y) - l), 1e-15L * std::fabs(l)) << y;
    }
  }
  for (double base : {10000.0, 1e6, 5e5, 1.5}) {
    for (int i = 0; i < 64; ++i) {
      const double exponent = -i / 64.0;
      const long double p =
          std::pow(static_cast<long double>(base), static_cast<long double>(exponent));
      ASSERT_LT(std::fabs(pow_f64(base, exponent) - p) / p, 1e-14L) << base << " " << exponent;
    }
  }
  EXPECT_EQ(exp_f64(0.0), 1.0);
  EXPECT_EQ(log_f64(1.0), 0.0);
}

TEST(Math, SinCosIsGoodToTenMillion) {
  std::mt19937_64 random(2);
  long double worst = 0.0L;
  for (double range : {1.0, 10.0, 1e3, 1e5, 1e7, kSinCosAngleMax}) {
    std::uniform_real_distribution<double> angle(-range, range);
    for (int i = 0; i < 100000; ++i) {
      // Integers and multiples of pi/2 are the hard arguments of tables and of the reduction.
      const double x = angle(random);
      for (double y :
           {x, std::nearbyint(x), std::min(std::nearbyint(x) * M_PI_2, kSinCosAngleMax)}) {
        const double clamped = std::max(y, -kSinCosAngleMax);
        const SinCos found = sincos_f64(clamped);
        const auto exact = static_cast<long double>(clamped);
        worst = std::max({worst, std::fabs(found.sin - std::sin(exact)),
                          std::fabs(found.cos - std::cos(exact))});
      }
    }
  }
  EXPECT_LT(worst, 1e-15L);
  EXPECT_EQ(sincos_f64(0.0).sin, 0.0);
  EXPECT_EQ(sincos_f64(0.0).cos, 1.0);
}

TEST(MathDeathTest, ArgumentsOutsideTheDomainAreBugs) {
  EXPECT_DEATH(sincos_f64(kSinCosAngleMax * 2), "angle");
  EXPECT_DEATH(sincos_f64(std::nan("")), "angle");
  EXPECT_DEATH(exp_f64(701.0), "x 701");
  EXPECT_DEATH(log_f64(0.0), "x 0");
}

}  // namespace
}  // namespace invar
