// Root-mean-square normalisation of one group of columns with a gate before or after it. A template
// over the vector type, instantiated by <isa>/table.cc. The sum of squares is a row sum: column i
// in virtual lane i mod 16, the lanes merged in the fixed tree.
#pragma once

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/vec_math.h"

namespace invar::cpu {

template <class V>
struct GatedRmsNormGroup {
  using F = typename V::F;

  [[gnu::always_inline]] static int lanes(int64_t left) {
    return left < V::kLanes ? static_cast<int>(left) : V::kLanes;
  }
  [[gnu::always_inline]] static F gate(const GatedRmsNormKernel& args, int64_t i, int count) {
    const F value = V::load_partial(args.gate + i, count);
    return args.silu ? VecMath<V>::silu(value) : VecMath<V>::sigmoid(value);
  }
  // What is normalised; lanes without a column are 0.
  [[gnu::always_inline]] static F value(const GatedRmsNormKernel& args, int64_t i, int count) {
    const F x = V::load_partial(args.x + i, count);
    return args.gate_first ? V::mul(x, gate(args, i, count)) : x;
  }

  template <class Out>
  static void run(const GatedRmsNormKernel& args) {
    F sum = V::zero();
    for (int64_t i = 0; i < args.dim; i += V::kLanes) {
      const F y = value(args, i, lanes(args.dim - i));
      sum = V::fma(y, y, sum);
    }
    const float mean = V::reduce_sum(sum) / static_cast<float>(args.dim);
    const F inverse = V::broadcast(1.0f / __builtin_sqrtf(mean + args.eps));
    for (int64_t i = 0; i < args.dim; i += V::kLanes) {
      const int count = lanes(args.dim - i);
      F y = V::mul(V::mul(value(args, i, count), inverse), V::load_partial(args.weight + i, count));
      if (!args.gate_first) {
        y = V::mul(y, gate(args, i, count));
      }
      V::store_partial(static_cast<Out*>(args.out) + i, y, count);
    }
  }
};

template <class V>
void gated_rms_norm(const GatedRmsNormKernel& args) {
  if (args.out_element == Element::kBF16) {
    GatedRmsNormGroup<V>::template run<BF16>(args);
  } else {
    GatedRmsNormGroup<V>::template run<float>(args);
  }
}

}  // namespace invar::cpu
