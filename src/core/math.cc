// The elementary functions' sequences of operations. Every line is one rounding per operation:
// contraction is off, and a fused multiply-add is written as one.
#include "core/math.h"

#include <bit>
#include <cstdint>
#include <limits>

#include "core/error.h"

namespace invar {
namespace {

// ln 2 in two parts; the first has 41 bits, so that its product with an exponent is exact.
constexpr double kLn2High = 0x1.62e42fefa3p-1;
constexpr double kLn2Low = 0x1.3de6af278ece6p-42;

}  // namespace

float exp_f32(float x) {
  if (x != x) {
    return x;
  }
  if (x < kExpZeroBelow) {
    return 0.0f;
  }
  if (x > kExpInfinityAbove) {
    return std::numeric_limits<float>::infinity();
  }
  using C = ExpConstants;
  // n = x / ln2 rounded to nearest even; `rounded` holds it in its low bits.
  const float rounded = __builtin_fmaf(x, C::kLog2E, C::kRounder);
  const float n = rounded - C::kRounder;
  float r = __builtin_fmaf(n, -C::kLn2High, x);
  r = __builtin_fmaf(n, -C::kLn2Low, r);
  float p = __builtin_fmaf(C::kQ4, r, C::kQ3);
  p = __builtin_fmaf(p, r, C::kQ2);
  p = __builtin_fmaf(p, r, C::kQ1);
  p = __builtin_fmaf(p, r, C::kQ0);
  p = __builtin_fmaf(p, r, 1.0f);
  p = __builtin_fmaf(p, r, 1.0f);
  // Times 2^n by adding n to the exponent: the bounds above keep the result a normal number.
  return std::bit_cast<float>(std::bit_cast<uint32_t>(p) +
                              (std::bit_cast<uint32_t>(rounded) << 23));
}

float sigmoid_f32(float x) {
  return 1.0f / (1.0f + exp_f32(0.0f - x));
}

float softplus_f32(float x) {
  const float e = exp_f32(0.0f - __builtin_fabsf(x));
  const float f = e / (2.0f + e);
  const float s = f * f;
  using C = SoftplusConstants;
  float series = C::kSeries[0];
  for (int i = 1; i < C::kTerms; ++i) {
    series = __builtin_fmaf(series, s, C::kSeries[i]);
  }
  const float twice = f + f;
  const float log_sum = __builtin_fmaf(twice * s, series, twice);
  return (x > 0.0f ? x : 0.0f) + log_sum;
}

float tanh_f32(float x) {
  const float size = __builtin_fabsf(x);
  using C = TanhConstants;
  if (size < C::kSmall) {
    const float s = x * x;
    float series = C::kSeries[0];
    for (int i = 1; i < C::kTerms; ++i) {
      series = __builtin_fmaf(series, s, C::kSeries[i]);
    }
    return __builtin_fmaf(x * s, series, x);
  }
  const float large = 1.0f - 2.0f / (exp_f32(size + size) + 1.0f);
  return x < 0.0f ? 0.0f - large : large;
}

float log_f32(float x) {
  if (x == 0.0f) {
    return -std::numeric_limits<float>::infinity();
  }
  if (!(x > 0.0f)) {
    return std::numeric_limits<float>::quiet_NaN();
  }
  if (x == std::numeric_limits<float>::infinity()) {
    return x;
  }
  return static_cast<float>(log_f64(static_cast<double>(x)));  // every f32 is a normal double
}

double exp_f64(double x) {
  INVAR_CHECK(x >= -700.0 && x <= 700.0, "x {}", x);
  constexpr double kLog2E = 0x1.71547652b82fep0;
  constexpr double kRounder = 0x1.8p52;
  const double rounded = x * kLog2E + kRounder;
  const double n = rounded - kRounder;
  const double r = (x - n * kLn2High) - n * kLn2Low;  // |r| <= 0.347
  // Taylor series; the first term left out is below 2e-18.
  double series = 1.0;
  for (double divisor = 14.0; divisor >= 1.0; divisor -= 1.0) {
    series = 1.0 + series * (r / divisor);
  }
  const uint64_t n_bits = std::bit_cast<uint64_t>(rounded) << 52;
  return std::bit_cast<double>(std::bit_cast<uint64_t>(series) + n_bits);
}

double log_f64(double x) {
  INVAR_CHECK(x >= std::numeric_limits<double>::min() && x <= std::numeric_limits<double>::max(),
              "x {}", x);
  // x = 2^k m, m in [sqrt(1/2), sqrt(2)).
  constexpr uint64_t kSqrtHalf = 0x3fe6a09e667f3bcdu;
  constexpr uint64_t kExponentMask = 0xfff0000000000000u;
  const auto bits = std::bit_cast<uint64_t>(x);
  const uint64_t k_bits = (bits - kSqrtHalf) & kExponentMask;
  const auto k = static_cast<double>(static_cast<int64_t>(k_bits) >> 52);
  const double m = std::bit_cast<double>(bits - k_bits);
  // log m = 2 atanh(f) = 2 (f + f^3/3 + f^5/5 + ...), |f| <= 0.1716: the terms left out are below
  // 1e-18 of the result.
  const double f = (m - 1.0) / (m + 1.0);
  const double s = f * f;
  double series = 1.0 / 23.0;
  for (double divisor = 21.0; divisor >= 3.0; divisor -= 2.0) {
    series = series * s + 1.0 / divisor;
  }
  const double log_m = 2.0 * f + 2.0 * f * (s * series);
  return k * kLn2High + (log_m + k * kLn2Low);
}

double pow_f64(double base, double exponent) {
  return exp_f64(exponent * log_f64(base));
}

SinCos sincos_f64(double angle) {
  INVAR_CHECK(angle >= -kSinCosAngleMax && angle <= kSinCosAngleMax, "angle {}", angle);
  // angle = n pi/2 + r, |r| <= pi/4. pi/2 is cut in two parts of 28 bits, whose products with n
  // (24 bits) are exact, and a rest.
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  constexpr double kHalfPiHigh = 0x1.921fb54p0;
  constexpr double kHalfPiMiddle = 0x1.10b4610p-30;
  constexpr double kHalfPiLow = 0x1.a62633145c06ep-58;
  constexpr double kRounder = 0x1.8p52;
  const double rounded = angle * kTwoOverPi + kRounder;
  const double n = rounded - kRounder;
  const double r = ((angle - n * kHalfPiHigh) - n * kHalfPiMiddle) - n * kHalfPiLow;
  const double s = r * r;
  // Taylor series; at |r| = pi/4 the first terms left out are 5e-17 (sine) and 2e-18 (cosine).
  double sine = -1.0 / 1307674368000.0;  // 15!
  for (double factorial : {6227020800.0, -39916800.0, 362880.0, -5040.0, 120.0, -6.0}) {
    sine = sine * s + 1.0 / factorial;
  }
  sine = r + r * (s * sine);
  double cosine = 1.0 / 20922789888000.0;  // 16!
  for (double factorial : {-87178291200.0, 479001600.0, -3628800.0, 40320.0, -720.0, 24.0, -2.0}) {
    cosine = cosine * s + 1.0 / factorial;
  }
  cosine = 1.0 + s * cosine;
  switch (std::bit_cast<uint64_t>(rounded) & 3u) {  // the quarter turn
    case 0:
      return {sine, cosine};
    case 1:
      return {cosine, -sine};
    case 2:
      return {-sine, -cosine};
    default:
      return {-cosine, sine};
  }
}

}  // namespace invar
