// The activations of the definitions, in double.
#pragma once

#include <algorithm>

#include "core/math.h"

namespace invar {

// e^x, 0 or very large where it leaves the range of exp_f64; NaN of NaN.
inline double exp_clamped_f64(double x) {
  if (x != x) {
    return x;
  }
  return x < -700.0 ? 0.0 : exp_f64(std::min(x, 700.0));
}

inline double sigmoid_f64(double x) {
  return 1.0 / (1.0 + exp_clamped_f64(-x));
}

inline double silu_f64(double x) {
  return x * sigmoid_f64(x);
}

// log(1 + e^x). For small e = e^-|x|, log(1 + e) is e - e^2/2 within e^3.
inline double softplus_f64(double x) {
  const double e = exp_clamped_f64(x < 0.0 ? x : -x);
  return std::max(x, 0.0) + (e < 1e-8 ? e - 0.5 * e * e : log_f64(1.0 + e));
}

// Below 1e-4 in size the Taylor series, whose first term left out is below 1e-16 of the result.
inline double tanh_f64(double x) {
  if (x > -1e-4 && x < 1e-4) {
    return x - x * x * x / 3.0;
  }
  const double large = 1.0 - 2.0 / (exp_clamped_f64(x < 0.0 ? -2.0 * x : 2.0 * x) + 1.0);
  return x < 0.0 ? -large : large;
}

}  // namespace invar
