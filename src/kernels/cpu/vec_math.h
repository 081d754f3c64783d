// Elementary functions over 16 lanes: the same sequences as core/math.cc, so every lane has the
// bits of the scalar function.
#pragma once

#include "core/math.h"

namespace invar::cpu {

template <class V>
struct VecMath {
  using F = typename V::F;

  // exp_f32 in every lane.
  [[gnu::always_inline]] static F exp(F x) {
    using C = ExpConstants;
    const F rounder = V::broadcast(C::kRounder);
    const F rounded = V::fma(x, V::broadcast(C::kLog2E), rounder);
    const F n = V::sub(rounded, rounder);
    F r = V::fma(n, V::broadcast(-C::kLn2High), x);
    r = V::fma(n, V::broadcast(-C::kLn2Low), r);
    F p = V::fma(V::broadcast(C::kQ4), r, V::broadcast(C::kQ3));
    p = V::fma(p, r, V::broadcast(C::kQ2));
    p = V::fma(p, r, V::broadcast(C::kQ1));
    p = V::fma(p, r, V::broadcast(C::kQ0));
    p = V::fma(p, r, V::broadcast(1.0f));
    p = V::fma(p, r, V::broadcast(1.0f));
    F scaled = V::from_bits(V::add_i32(V::bits(p), V::template shift_left<23>(V::bits(rounded))));
    scaled = V::select(V::less(x, V::broadcast(kExpZeroBelow)), V::zero(), scaled);
    scaled = V::select(V::less(V::broadcast(kExpInfinityAbove), x), V::broadcast(__builtin_inff()),
                       scaled);
    return V::select(V::is_nan(x), x, scaled);
  }

  // exp(a_log), at most kDecayRateMax; NaN stays.
  [[gnu::always_inline]] static F decay_rate(F a_log) {
    const F rate = VecMath::exp(a_log);
    const F most = V::broadcast(kDecayRateMax);
    return V::select(V::less(most, rate), most, rate);
  }

  // -rate * time, limited.
  [[gnu::always_inline]] static F log_decay(F rate, F time) {
    return limited_decay(V::mul(V::sub(V::zero(), rate), time));
  }

  // At least kLogDecayMin; NaN stays.
  [[gnu::always_inline]] static F limited_decay(F decay) {
    const F least = V::broadcast(kLogDecayMin);
    return V::select(V::less(decay, least), least, decay);
  }

  // sigmoid_f32 in every lane.
  [[gnu::always_inline]] static F sigmoid(F x) {
    const F one = V::broadcast(1.0f);
    return V::div(one, V::add(one, VecMath::exp(V::sub(V::zero(), x))));
  }

  // x sigmoid(x), as silu_mul computes it.
  [[gnu::always_inline]] static F silu(F x) {
    return V::div(x, V::add(V::broadcast(1.0f), VecMath::exp(V::sub(V::zero(), x))));
  }

  // softplus_f32 in every lane.
  [[gnu::always_inline]] static F softplus(F x) {
    const F e = VecMath::exp(V::sub(V::zero(), V::abs(x)));
    const F f = V::div(e, V::add(V::broadcast(2.0f), e));
    const F s = V::mul(f, f);
    using C = SoftplusConstants;
    F series = V::broadcast(C::kSeries[0]);
#pragma GCC unroll 8
    for (int i = 1; i < C::kTerms; ++i) {
      series = V::fma(series, s, V::broadcast(C::kSeries[i]));
    }
    const F twice = V::add(f, f);
    const F log_sum = V::fma(V::mul(twice, s), series, twice);
    return V::add(V::max(x, V::zero()), log_sum);
  }

  // tanh_f32 in every lane.
  [[gnu::always_inline]] static F tanh(F x) {
    const F size = V::abs(x);
    const F s = V::mul(x, x);
    using C = TanhConstants;
    F series = V::broadcast(C::kSeries[0]);
#pragma GCC unroll 8
    for (int i = 1; i < C::kTerms; ++i) {
      series = V::fma(series, s, V::broadcast(C::kSeries[i]));
    }
    const F small = V::fma(V::mul(x, s), series, x);
    const F one = V::broadcast(1.0f);
    const F e = VecMath::exp(V::add(size, size));
    const F large = V::sub(one, V::div(V::broadcast(2.0f), V::add(e, one)));
    const F both = V::select(V::less(x, V::zero()), V::sub(V::zero(), large), large);
    return V::select(V::less(size, V::broadcast(C::kSmall)), small, both);
  }
};

}  // namespace invar::cpu
