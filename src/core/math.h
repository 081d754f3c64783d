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
