// exp, log and pow in double against the C library in long double.
#include "core/math_f64.h"

#include <gtest/gtest.h>

#include <cmath>

namespace invar {
namespace {

double relative_error(double ours, long double exact) {
  return static_cast<double>(fabsl((static_cast<long double>(ours) - exact) / exact));
}

TEST(MathF64, ExpIsClose) {
  for (double x = -700; x <= 700; x += 0.37) {
    EXPECT_LT(relative_error(exp_f64(x), expl(x)), 1e-14) << x;
  }
  EXPECT_EQ(exp_f64(0), 1.0);
}

TEST(MathF64, LogIsClose) {
  for (double x = 1e-300; x < 1e300; x *= 3.7) {
    EXPECT_LT(relative_error(log_f64(x), logl(x)), 1e-14) << x;
  }
  for (double x = 0.5; x < 2; x += 0.0007) {
    EXPECT_NEAR(log_f64(x), static_cast<double>(logl(x)), 2e-16) << x;
  }
  EXPECT_EQ(log_f64(1), 0.0);
}

TEST(MathF64, PowIsCloseForRopeFrequencies) {
  for (double base : {1e4, 1e5, 5e5, 1e6, 1e7, 1.6e5}) {
    for (double exponent = -1; exponent <= 0; exponent += 1.0 / 64) {
      EXPECT_LT(relative_error(pow_f64(base, exponent), powl(base, exponent)), 1e-13);
    }
  }
}

}  // namespace
}  // namespace invar
