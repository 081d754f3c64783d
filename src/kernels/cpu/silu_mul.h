// The gated activation of SwiGLU. A template over the vector type, instantiated by <isa>/table.cc.
#pragma once

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/vec_math.h"

namespace invar::cpu {

template <class V>
struct SiluMulLoop {
  using F = typename V::F;

  [[gnu::always_inline]] static F silu_mul(F gate, F up) {
    const F e = VecMath<V>::exp(V::sub(V::zero(), gate));
    return V::mul(V::div(gate, V::add(V::broadcast(1.0f), e)), up);
  }

  template <class Out>
  static void run(const SiluMulKernel& args) {
    auto* out = static_cast<Out*>(args.out);
    int64_t i = 0;
    for (; i + V::kLanes <= args.count; i += V::kLanes) {
      V::store(out + i, silu_mul(V::load(args.gate + i), V::load(args.up + i)));
    }
    if (i < args.count) {
      const int rest = static_cast<int>(args.count - i);
      const F value =
          silu_mul(V::load_partial(args.gate + i, rest), V::load_partial(args.up + i, rest));
      V::store_partial(out + i, value, rest);
    }
  }
};

template <class V>
void silu_mul(const SiluMulKernel& args) {
  if (args.out_element == Element::kBF16) {
    SiluMulLoop<V>::template run<BF16>(args);
  } else {
    SiluMulLoop<V>::template run<float>(args);
  }
}

}  // namespace invar::cpu
