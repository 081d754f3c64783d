// See math_f64.h. No libm: its results depend on the processor that it finds at run time.
#include "core/math_f64.h"

#include <bit>
#include <cstdint>

namespace invar {
namespace {

constexpr double kLn2High = 0x1.62e42fefa3800p-1;  // ln 2 with 11 low bits zero
constexpr double kLn2Low = 0x1.ef35793c76730p-45;  // the rest
constexpr double kLog2E = 0x1.71547652b82fep+0;
constexpr double kSqrt2 = 0x1.6a09e667f3bcdp+0;

}  // namespace

double exp_f64(double x) {
  // x = n ln 2 + r with |r| <= ln 2 / 2. Adding 1.5 * 2^52 rounds to the nearest integer.
  constexpr double kRounder = 0x1.8p52;
  const double n = (x * kLog2E + kRounder) - kRounder;
  const double r = (x - n * kLn2High) - n * kLn2Low;
  // Taylor series to r^14 / 14!: the remainder is below 2e-19.
  double sum = 1.0;
  for (int k = 14; k >= 1; --k) {
    sum = 1.0 + sum * r / k;
  }
  const auto exponent = static_cast<int64_t>(n);
  return sum * std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

double log_f64(double x) {
  // x = m 2^e with m in [1 / sqrt 2, sqrt 2); ln m = 2 atanh((m - 1) / (m + 1)).
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  int64_t exponent = static_cast<int64_t>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL);
  if (m > kSqrt2) {
    m *= 0.5;
    exponent += 1;
  }
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  // |s| <= 0.1716, so z^12 / 25 is below 1e-19.
  double sum = 0.0;
  for (int k = 25; k >= 1; k -= 2) {
    sum = sum * z + 1.0 / k;
  }
  const auto e = static_cast<double>(exponent);
  return (2.0 * s * sum + e * kLn2Low) + e * kLn2High;
}

double pow_f64(double base, double exponent) {
  return exp_f64(exponent * log_f64(base));
}

}  // namespace invar
