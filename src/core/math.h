// Elementary functions with one fixed sequence of correctly rounded operations each, so that their
// bits depend on nothing but the argument: not on libm's version, nor on the processor. Kernels
// evaluate the same sequence of exp in vectors (kernels/cpu/vec_math.h) and get the same bits.
//
// Nothing here is inline: kernels compiled for one instruction set may include this header.
#pragma once

namespace invar {

// e^x, within 1 unit in the last place. exp(x) = 0 for x < kExpZeroBelow (no subnormal results),
// infinity for x > kExpInfinityAbove; exp(0) = 1 exactly; NaN gives NaN.
float exp_f32(float x);

inline constexpr float kExpZeroBelow = -87.0f;
inline constexpr float kExpInfinityAbove = 0x1.62e42ep6f;  // the largest x with a finite result

// Of recurrent states, whose decay over a step is exp(-rate * time) with rate = exp(a_log). Neither
// may be infinite, because infinity times no time and differences of infinite sums are NaN: a rate
// is at most the first, a step's exponent at least the second. Its exponential is 0 in f32, so that
// less would forget nothing more; but it would cost the sum of a chunk's exponents digits, of which
// the decays of later steps are differences.
inline constexpr float kDecayRateMax = 0x1.fffffep127f;
inline constexpr float kLogDecayMin = -104.0f;

// The constants of exp_f32, shared with the vector version. x = n ln2 + r with |r| <= 0.3472;
// e^r = 1 + r + r^2 q(r), where q is the minimax polynomial of degree 4 for the relative error of
// e^r (3.1e-9), its coefficients rounded to float.
struct ExpConstants {
  static constexpr float kLog2E = 0x1.715476p0f;
  static constexpr float kRounder = 0x1.8p23f;     // x + kRounder has no fraction bits
  static constexpr float kLn2High = 0x1.62e4p-1f;  // 15 bits, so that n * kLn2High is exact
  static constexpr float kLn2Low = 0x1.7f7d1cp-20f;
  static constexpr float kQ0 = 0x1.fffffcp-2f;
  static constexpr float kQ1 = 0x1.55549p-3f;
  static constexpr float kQ2 = 0x1.5558f8p-5f;
  static constexpr float kQ3 = 0x1.123ae6p-7f;
  static constexpr float kQ4 = 0x1.6a2286p-10f;
};

// 1 / (1 + e^-x), log(1 + e^x) and the hyperbolic tangent, within 3, 4 and 4 units in the last
// place where the result is above 2^-100 in size; NaN gives NaN.
float sigmoid_f32(float x);
float softplus_f32(float x);
float tanh_f32(float x);

// The constants of softplus_f32 and tanh_f32, shared with the vector version.
// log(1 + e) = 2 f (1 + f^2/3 + f^4/5 + ...) with f = e / (2 + e), at most 1/3: the terms left out
// are below 1.5e-10 of the result.
struct SoftplusConstants {
  static constexpr int kTerms = 8;
  // 1/17, 1/15, ... 1/3
  static constexpr float kSeries[kTerms] = {1.0f / 17.0f, 1.0f / 15.0f, 1.0f / 13.0f, 1.0f / 11.0f,
                                            1.0f / 9.0f,  1.0f / 7.0f,  1.0f / 5.0f,  1.0f / 3.0f};
};
// Below kSmall the Taylor series x + x^3 p(x^2), whose first term left out is below 4e-9 of the
// result; above, 1 - 2 / (e^2x + 1).
struct TanhConstants {
  static constexpr float kSmall = 0.4f;
  static constexpr int kTerms = 6;
  static constexpr float kSeries[kTerms] = {21844.0f / 6081075.0f, -1382.0f / 155925.0f,
                                            62.0f / 2835.0f,       -17.0f / 315.0f,
                                            2.0f / 15.0f,          -1.0f / 3.0f};
};

// Natural logarithm, within 0.51 units in the last place, subnormal arguments included.
// log(0) = -infinity; log of a negative number or NaN is NaN.
float log_f32(float x);

// e^x for |x| <= 700 (checked) and natural logarithm for normal x > 0 (checked), both with a
// relative error below 1e-15. base^exponent for base > 0, as exp(exponent log base). For tables
// that are computed once, and for definitions.
double exp_f64(double x);
double log_f64(double x);
double pow_f64(double base, double exponent);

struct SinCos {
  double sin;
  double cos;
};
// Sine and cosine of an angle in radians, |angle| <= kSinCosAngleMax (checked), with an absolute
// error below 1e-15. For tables of rotary embeddings.
SinCos sincos_f64(double angle);

inline constexpr double kSinCosAngleMax = 0x1p24;

}  // namespace invar
