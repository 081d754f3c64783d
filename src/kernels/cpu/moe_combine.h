// The weighted sum of one row's experts, plus an addend if there is one. A template over the vector
// type, instantiated by <isa>/table.cc.
#pragma once

#include "kernels/cpu/kernel_table.h"

namespace invar::cpu {

template <class V>
struct MoeCombineLoop {
  using F = typename V::F;

  template <class Out>
  static void run(const MoeCombineKernel& args) {
    for (int64_t i = 0; i < args.count; i += V::kLanes) {
      const int64_t left = args.count - i;
      const int lanes = left < V::kLanes ? static_cast<int>(left) : V::kLanes;
      F sum = V::zero();
      for (int64_t j = 0; j < args.terms; ++j) {
        const auto* y = reinterpret_cast<const float*>(reinterpret_cast<const char*>(args.y) +
                                                       j * args.y_stride);
        sum = V::fma(V::broadcast(args.weights[j]), V::load_partial(y + i, lanes), sum);
      }
      if (args.addend != nullptr) {
        sum = V::add(V::load_partial(args.addend + i, lanes), sum);
      }
      V::store_partial(static_cast<Out*>(args.out) + i, sum, lanes);
    }
  }
};

template <class V>
void moe_combine(const MoeCombineKernel& args) {
  if (args.out_element == Element::kBF16) {
    MoeCombineLoop<V>::template run<BF16>(args);
  } else {
    MoeCombineLoop<V>::template run<float>(args);
  }
}

}  // namespace invar::cpu
