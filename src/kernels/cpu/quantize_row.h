// Activations to int8 in groups of 32. A template over the vector type, instantiated by
// <isa>/table.cc.
#pragma once

#include "kernels/cpu/kernel_table.h"

namespace invar::cpu {

// Below this largest value a group is all zeros: 127 / amax would come near overflow, and no
// product with such a group can be told from zero.
inline constexpr float kQuantizeZeroBelow = 0x1p-119f;

template <class V>
void quantize_row(const QuantizeRowKernel& args) {
  using F = typename V::F;
  using I = typename V::I;
  constexpr int32_t kInfinityBits = 0x7f800000;
  for (int64_t group = 0; group < args.groups; ++group) {
    const F low = V::load(args.x + group * 32);
    const F high = V::load(args.x + group * 32 + V::kLanes);
    // The bits of non-negative floats order as integers, with infinity and NaN at the top.
    const I largest = V::max_i32(V::bits(V::abs(low)), V::bits(V::abs(high)));
    const int32_t amax_bits = V::reduce_max_i32(largest);
    const float amax = __builtin_bit_cast(float, amax_bits);
    const bool finite = amax_bits < kInfinityBits;
    const bool zero = !finite || amax < kQuantizeZeroBelow;
    const float factor = zero ? 0.0f : 127.0f / amax;
    // An infinity or NaN makes the scale NaN, so that it is seen in every product with the group.
    const float scale = zero ? 0.0f : amax / 127.0f;
    args.scale[group] = finite ? scale : __builtin_nanf("");
    const F all = V::broadcast(factor);
    const I zeros = V::broadcast_i32(0);
    const I q_low = zero ? zeros : V::round_to_i32(V::mul(low, all));
    const I q_high = zero ? zeros : V::round_to_i32(V::mul(high, all));
    V::store_i8(args.q + group * 32, q_low);
    V::store_i8(args.q + group * 32 + V::kLanes, q_high);
    args.q_sum[2 * group] = static_cast<int16_t>(V::reduce_sum_i32(q_low));
    args.q_sum[2 * group + 1] = static_cast<int16_t>(V::reduce_sum_i32(q_high));
  }
}

}  // namespace invar::cpu
