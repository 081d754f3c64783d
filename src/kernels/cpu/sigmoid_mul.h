// A row times the sigmoid of a gate, plus an addend if there is one. A template over the vector
// type, instantiated by <isa>/table.cc.
#pragma once

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/vec_math.h"

namespace invar::cpu {

template <class V>
struct SigmoidMulLoop {
  using F = typename V::F;

  // Columns [i, i + count), count at most 16.
  template <class Out>
  [[gnu::always_inline]] static void columns(const SigmoidMulKernel& args, int64_t i, int count) {
    const F gate =
        args.gate_per_row ? V::broadcast(args.gate[0]) : V::load_partial(args.gate + i, count);
    F value = V::mul(V::load_partial(args.x + i, count), VecMath<V>::sigmoid(gate));
    if (args.addend != nullptr) {
      value = V::add(V::load_partial(args.addend + i, count), value);
    }
    V::store_partial(static_cast<Out*>(args.out) + i, value, count);
  }

  template <class Out>
  static void run(const SigmoidMulKernel& args) {
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
void sigmoid_mul(const SigmoidMulKernel& args) {
  if (args.out_element == Element::kBF16) {
    SigmoidMulLoop<V>::template run<BF16>(args);
  } else {
    SigmoidMulLoop<V>::template run<float>(args);
  }
}

}  // namespace invar::cpu
