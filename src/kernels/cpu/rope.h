// Rotary position embedding of the heads of one row. A template over the vector type, instantiated
// by <isa>/table.cc.
#pragma once

#include "kernels/cpu/kernel_table.h"

namespace invar::cpu {

template <class V>
void rope(const RopeKernel& args) {
  using F = typename V::F;
  for (int64_t head = 0; head < args.heads; ++head) {
    float* a = args.x + head * args.head_dim;
    float* b = a + args.half;
    int64_t i = 0;
    for (; i + V::kLanes <= args.half; i += V::kLanes) {
      const F x = V::load(a + i);
      const F y = V::load(b + i);
      const F cos = V::load(args.cos + i);
      const F sin = V::load(args.sin + i);
      V::store(a + i, V::sub(V::mul(x, cos), V::mul(y, sin)));
      V::store(b + i, V::add(V::mul(y, cos), V::mul(x, sin)));
    }
    if (i < args.half) {
      const int rest = static_cast<int>(args.half - i);
      const F x = V::load_partial(a + i, rest);
      const F y = V::load_partial(b + i, rest);
      const F cos = V::load_partial(args.cos + i, rest);
      const F sin = V::load_partial(args.sin + i, rest);
      V::store_partial(a + i, V::sub(V::mul(x, cos), V::mul(y, sin)), rest);
      V::store_partial(b + i, V::add(V::mul(y, cos), V::mul(x, sin)), rest);
    }
  }
}

}  // namespace invar::cpu
