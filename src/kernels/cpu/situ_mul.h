// The bounded gated activation. A template over the vector type, instantiated by <isa>/table.cc.
#pragma once

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/vec_math.h"

namespace invar::cpu {

template <class V>
struct SituMulLoop {
  using F = typename V::F;

  // bound * tanh(x / bound)
  [[gnu::always_inline]] static F bounded(F x, float bound) {
    const F b = V::broadcast(bound);
    return V::mul(b, VecMath<V>::tanh(V::div(x, b)));
  }

  // Columns [i, i + count), count at most 16.
  template <class Out>
  [[gnu::always_inline]] static void columns(const SituMulKernel& args, int64_t i, int count) {
    const F gate = V::load_partial(args.gate + i, count);
    F up = V::load_partial(args.up + i, count);
    if (args.linear_beta != 0.0f) {
      up = bounded(up, args.linear_beta);
    }
    const F activated = V::mul(bounded(gate, args.beta), VecMath<V>::sigmoid(gate));
    V::store_partial(static_cast<Out*>(args.out) + i, V::mul(activated, up), count);
  }

  template <class Out>
  static void run(const SituMulKernel& args) {
    int64_t i = 0;
    for (; i + V::kLanes <= args.count; i += V::kLanes) {
      columns<Out>(args, i, V::kLanes);
    }
    if (i < args.count) {
      columns<Out>(args, i, static_cast<int>(args.count - i));
    }
  }
};

template <class V>
void situ_mul(const SituMulKernel& args) {
  if (args.out_element == Element::kBF16) {
    SituMulLoop<V>::template run<BF16>(args);
  } else {
    SituMulLoop<V>::template run<float>(args);
  }
}

}  // namespace invar::cpu
