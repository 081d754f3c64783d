// Root-mean-square normalisation of rows. A template over the vector type, instantiated by
// <isa>/table.cc.
//
// Column i of a row is summed in virtual lane i mod 16 by a chain of fused multiply-adds, and the
// lanes are merged in the fixed tree. One such chain is bound by the latency of an addition, so
// several rows are summed side by side; a row's own chain does not change by that.
#pragma once

#include "kernels/cpu/kernel_table.h"

namespace invar::cpu {

template <class V>
struct RmsNormRows {
  using F = typename V::F;
  static constexpr int kRowsTogether = 4;

  [[gnu::always_inline]] static const float* row(const RmsNormKernel& args, int64_t t) {
    return reinterpret_cast<const float*>(reinterpret_cast<const char*>(args.x) +
                                          t * args.x_stride);
  }

  // 1 / rms of `kRows` rows from `first` on.
  template <int kRows>
  [[gnu::always_inline]] static void inverse_rms(const RmsNormKernel& args, int64_t first,
                                                 float* inverse) {
    const float* x[kRows];
    F sum[kRows];
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      x[r] = row(args, first + r);
      sum[r] = V::zero();
    }
    int64_t i = 0;
    for (; i + V::kLanes <= args.dim; i += V::kLanes) {
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) {
        const F value = V::load(x[r] + i);
        sum[r] = V::fma(value, value, sum[r]);
      }
    }
    if (i < args.dim) {  // the lanes without a column add 0 * 0
      const int rest = static_cast<int>(args.dim - i);
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) {
        const F value = V::load_partial(x[r] + i, rest);
        sum[r] = V::fma(value, value, sum[r]);
      }
    }
    for (int r = 0; r < kRows; ++r) {
      const float mean = V::reduce_sum(sum[r]) / static_cast<float>(args.dim);
      inverse[r] = 1.0f / __builtin_sqrtf(mean + args.eps);
    }
  }

  template <class Out>
  [[gnu::always_inline]] static void scale_row(const RmsNormKernel& args, int64_t t,
                                               float inverse) {
    const float* x = row(args, t);
    auto* out = reinterpret_cast<Out*>(static_cast<char*>(args.out) + t * args.out_stride);
    const F factor = V::broadcast(inverse);
    int64_t i = 0;
    for (; i + V::kLanes <= args.dim; i += V::kLanes) {
      V::store(out + i, V::mul(V::mul(V::load(x + i), factor), V::load(args.weight + i)));
    }
    if (i < args.dim) {
      const int rest = static_cast<int>(args.dim - i);
      const F value = V::mul(V::load_partial(x + i, rest), factor);
      V::store_partial(out + i, V::mul(value, V::load_partial(args.weight + i, rest)), rest);
    }
  }

  template <class Out>
  static void run(const RmsNormKernel& args) {
    float inverse[kRowsTogether];
    int64_t t = 0;
    for (; t + kRowsTogether <= args.rows; t += kRowsTogether) {
      inverse_rms<kRowsTogether>(args, t, inverse);
      for (int r = 0; r < kRowsTogether; ++r) {
        scale_row<Out>(args, t + r, inverse[r]);
      }
    }
    for (; t < args.rows; ++t) {
      inverse_rms<1>(args, t, inverse);
      scale_row<Out>(args, t, inverse[0]);
    }
  }
};

template <class V>
void rms_norm(const RmsNormKernel& args) {
  if (args.out_element == Element::kBF16) {
    RmsNormRows<V>::template run<BF16>(args);
  } else {
    RmsNormRows<V>::template run<float>(args);
  }
}

}  // namespace invar::cpu
