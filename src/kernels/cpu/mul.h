// The product of two rows. A template over the vector type, instantiated by <isa>/table.cc.
#pragma once

#include "kernels/cpu/kernel_table.h"

namespace invar::cpu {

template <class V, class Out>
void mul_loop(const MulKernel& args) {
  auto* out = static_cast<Out*>(args.out);
  int64_t i = 0;
  for (; i + V::kLanes <= args.count; i += V::kLanes) {
    V::store(out + i, V::mul(V::load(args.a + i), V::load(args.b + i)));
  }
  if (i < args.count) {
    const int rest = static_cast<int>(args.count - i);
    V::store_partial(out + i,
                     V::mul(V::load_partial(args.a + i, rest), V::load_partial(args.b + i, rest)),
                     rest);
  }
}

template <class V>
void mul(const MulKernel& args) {
  if (args.out_element == Element::kBF16) {
    mul_loop<V, BF16>(args);
  } else {
    mul_loop<V, float>(args);
  }
}

}  // namespace invar::cpu
