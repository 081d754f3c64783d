// One row of a depthwise causal convolution. A template over the vector type, instantiated by
// <isa>/table.cc. Lanes are channels; a channel's sum is one chain over the taps, oldest first.
#pragma once

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/vec_math.h"

namespace invar::cpu {

template <class V>
struct CausalConvLoop {
  using F = typename V::F;

  // Channels [i, i + count), count at most 16.
  [[gnu::always_inline]] static void channels(const CausalConvKernel& args, int64_t i, int count) {
    F sum = args.bias != nullptr ? V::load_partial(args.bias + i, count) : V::zero();
    F newest = V::zero();
    const char* weight = reinterpret_cast<const char*>(args.weight + i);
    for (int j = 0; j < args.taps; ++j) {
      newest = V::load_partial(args.x[j] + i, count);
      const F w = V::load_partial(reinterpret_cast<const float*>(weight), count);
      sum = V::fma(w, newest, sum);
      weight += args.weight_stride;
    }
    V::store_partial(args.kept + i, newest, count);
    V::store_partial(args.out + i, args.silu ? VecMath<V>::silu(sum) : sum, count);
  }
};

template <class V>
void causal_conv(const CausalConvKernel& args) {
  int64_t i = 0;
  for (; i + V::kLanes <= args.count; i += V::kLanes) {
    CausalConvLoop<V>::channels(args, i, V::kLanes);
  }
  if (i < args.count) {
    CausalConvLoop<V>::channels(args, i, static_cast<int>(args.count - i));
  }
}

}  // namespace invar::cpu
