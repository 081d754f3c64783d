// Decay and write strength of the delta rule for one row. A template over the vector type,
// instantiated by <isa>/table.cc.
#pragma once

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/vec_math.h"

namespace invar::cpu {

template <class V>
struct DeltaGatesLoop {
  using F = typename V::F;

  [[gnu::always_inline]] static F decay(const DeltaGatesKernel& args, F rate, F z) {
    if (args.bounded) {
      const F share = VecMath<V>::sigmoid(V::mul(rate, z));
      return VecMath<V>::limited_decay(V::mul(V::broadcast(args.lower_bound), share));
    }
    return VecMath<V>::log_decay(rate, VecMath<V>::softplus(z));
  }

  // Decays [i, i + count) with the rates `a_log` of their own, or of one head.
  [[gnu::always_inline]] static void decays(const DeltaGatesKernel& args, F a_log, int64_t i,
                                            int count) {
    const F z =
        V::add(V::load_partial(args.a + i, count), V::load_partial(args.dt_bias + i, count));
    V::store_partial(args.log_decay + i, decay(args, VecMath<V>::decay_rate(a_log), z), count);
  }

  [[gnu::always_inline]] static int lanes(int64_t left) {
    return left < V::kLanes ? static_cast<int>(left) : V::kLanes;
  }

  static void run(const DeltaGatesKernel& args) {
    for (int64_t h = 0; h < args.heads; h += V::kLanes) {
      const int count = lanes(args.heads - h);
      V::store_partial(args.beta + h, VecMath<V>::sigmoid(V::load_partial(args.b + h, count)),
                       count);
      if (args.width == 1) {
        decays(args, V::load_partial(args.a_log + h, count), h, count);
      }
    }
    for (int64_t h = 0; args.width > 1 && h < args.heads; ++h) {
      for (int64_t i = 0; i < args.width; i += V::kLanes) {
        decays(args, V::broadcast(args.a_log[h]), h * args.width + i, lanes(args.width - i));
      }
    }
  }
};

template <class V>
void delta_gates(const DeltaGatesKernel& args) {
  DeltaGatesLoop<V>::run(args);
}

}  // namespace invar::cpu
