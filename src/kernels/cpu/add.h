// Elementwise addition. A template over the vector type, instantiated by <isa>/table.cc.
#pragma once

#include "kernels/cpu/kernel_table.h"

namespace invar::cpu {

template <class V>
void add(const AddKernel& args) {
  int64_t i = 0;
  for (; i + V::kLanes <= args.count; i += V::kLanes) {
    V::store(args.out + i, V::add(V::load(args.a + i), V::load(args.b + i)));
  }
  if (i < args.count) {
    const int rest = static_cast<int>(args.count - i);
    const auto sum = V::add(V::load_partial(args.a + i, rest), V::load_partial(args.b + i, rest));
    V::store_partial(args.out + i, sum, rest);
  }
}

}  // namespace invar::cpu
