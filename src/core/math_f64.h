// exp and log in double, for tables that are computed once at load (RoPE frequencies). Own
// polynomials, so that the tables have the same bits on every machine; relative error below 1e-14.
// Kernels use the f32 functions of core/math.h.
#pragma once

namespace invar {

double exp_f64(double x);                      // |x| <= 700
double log_f64(double x);                      // x > 0, normal
double pow_f64(double base, double exponent);  // base > 0

}  // namespace invar
