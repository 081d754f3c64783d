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
};

}  // namespace invar::cpu
