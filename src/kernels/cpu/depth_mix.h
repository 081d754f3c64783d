// Softmax attention of one row over its sources (residual banks and the running sum). A template
// over the vector type, instantiated by <isa>/table.cc.
#pragma once

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/vec_math.h"

namespace invar::cpu {

template <class V>
struct DepthMixRow {
  using F = typename V::F;

  [[gnu::always_inline]] static int lanes(int64_t left) {
    return left < V::kLanes ? static_cast<int>(left) : V::kLanes;
  }

  // The query times the normalised, weighted source; both sums are row sums.
  [[gnu::always_inline]] static float score(const DepthMixKernel& args, const float* source) {
    F squares = V::zero();
    for (int64_t i = 0; i < args.width; i += V::kLanes) {
      const F value = V::load_partial(source + i, lanes(args.width - i));
      squares = V::fma(value, value, squares);
    }
    const float mean = V::reduce_sum(squares) / static_cast<float>(args.width);
    const F inverse = V::broadcast(1.0f / __builtin_sqrtf(mean + args.eps));
    F sum = V::zero();
    for (int64_t i = 0; i < args.width; i += V::kLanes) {
      const int count = lanes(args.width - i);
      const F normed = V::mul(V::mul(V::load_partial(source + i, count), inverse),
                              V::load_partial(args.norm_weight + i, count));
      sum = V::fma(V::load_partial(args.query + i, count), normed, sum);
    }
    return V::reduce_sum(sum);
  }

  static void run(const DepthMixKernel& args) {
    float weight[DepthMixKernel::kSourcesMax];
    float max = -__builtin_inff();
    for (int j = 0; j < args.sources; ++j) {
      weight[j] = score(args, args.source[j]);
      max = weight[j] > max ? weight[j] : max;
    }
    F sum = V::zero();  // in every lane
    F shares[DepthMixKernel::kSourcesMax];
    for (int j = 0; j < args.sources; ++j) {
      shares[j] = VecMath<V>::exp(V::sub(V::broadcast(weight[j]), V::broadcast(max)));
      sum = V::add(sum, shares[j]);
    }
    for (int j = 0; j < args.sources; ++j) {
      shares[j] = V::div(shares[j], sum);
    }
    for (int64_t i = 0; i < args.width; i += V::kLanes) {
      const int count = lanes(args.width - i);
      F out = V::zero();
      for (int j = 0; j < args.sources; ++j) {
        out = V::fma(shares[j], V::load_partial(args.source[j] + i, count), out);
      }
      V::store_partial(args.out + i, out, count);
    }
  }
};

template <class V>
void depth_mix(const DepthMixKernel& args) {
  DepthMixRow<V>::run(args);
}

}  // namespace invar::cpu
