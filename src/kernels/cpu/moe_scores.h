// A row's router scores from its logits: the sigmoid of each, or the softmax of all. A template
// over the vector type, instantiated by <isa>/table.cc.
#pragma once

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/vec_math.h"

namespace invar::cpu {

template <class V>
struct MoeScoresRow {
  using F = typename V::F;

  // Stores f of every vector of `from`.
  template <class Function>
  [[gnu::always_inline]] static void each(const float* from, float* to, int64_t count,
                                          Function function) {
    for (int64_t i = 0; i < count; i += V::kLanes) {
      const int lanes = count - i < V::kLanes ? static_cast<int>(count - i) : V::kLanes;
      V::store_partial(to + i, function(V::load_partial(from + i, lanes)), lanes);
    }
  }

  static void softmax(const MoeScoresKernel& args) {
    float max = -__builtin_inff();
    for (int64_t e = 0; e < args.experts; ++e) {
      max = args.logits[e] > max ? args.logits[e] : max;
    }
    each(args.logits, args.scores, args.experts,
         [&](F logit) { return VecMath<V>::exp(V::sub(logit, V::broadcast(max))); });
    F sums = V::zero();
    for (int64_t i = 0; i < args.experts; i += V::kLanes) {
      const int64_t left = args.experts - i;
      const int lanes = left < V::kLanes ? static_cast<int>(left) : V::kLanes;
      sums = V::add(sums, V::load_partial(args.scores + i, lanes));
    }
    const F sum = V::broadcast(V::reduce_sum(sums));
    each(args.scores, args.scores, args.experts, [&](F e) { return V::div(e, sum); });
  }
};

template <class V>
void moe_scores(const MoeScoresKernel& args) {
  if (args.sigmoid) {
    MoeScoresRow<V>::each(args.logits, args.scores, args.experts,
                          [](typename V::F logit) { return VecMath<V>::sigmoid(logit); });
  } else {
    MoeScoresRow<V>::softmax(args);
  }
}

}  // namespace invar::cpu
