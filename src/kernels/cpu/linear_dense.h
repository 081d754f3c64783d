// The tile of a matrix product with plain float weights: kRows rows of activations times one panel.
//   acc = fma(x_k, w_k, acc), K ascending, all values widened exactly to f32.
#pragma once

#include "kernels/cpu/element.h"
#include "kernels/cpu/linear_loop.h"

namespace invar::cpu {

// Columns of activations widened at a time.
inline constexpr int64_t kWidenColumns = 64;

template <class V, class X>
[[gnu::always_inline]] inline void widen_columns(const X* x, int64_t count, float* widened) {
  for (int64_t k = 0; k < count; k += V::kLanes) {
    const int64_t left = count - k;
    const int lanes = static_cast<int>(left < V::kLanes ? left : V::kLanes);
    V::store(widened + k, V::load_partial(x + k, lanes));
  }
}

// Weights of type W and activations of type X: float, F16 or BF16.
template <class V, class W, class X, int kMaxRows, int kMaxPanels>
struct DenseTile {
  using F = typename V::F;
  static constexpr int kRowsMax = kMaxRows;
  static constexpr int kPanelsMax = kMaxPanels;
  static constexpr int kRowPanels = kMaxPanels;

  template <int kRows, int kPanels>
  [[gnu::noinline]] static void run(const LinearKernel& args, int64_t panel, int64_t row) {
    const W* weights = reinterpret_cast<const W*>(args.weight) + panel * args.columns * V::kLanes;
    const std::byte* x = args.x + row * args.x_stride_bytes;
    F sums[kPanels][kRows];
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) {
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        sums[p][r] = V::zero();
      }
    }
    const int64_t panel_stride = args.columns * V::kLanes;
    if constexpr (sizeof(X) == sizeof(float)) {
      add_columns(weights, panel_stride, x, args.x_stride_bytes, args.columns, sums);
    } else {
      for (int64_t begin = 0; begin < args.columns; begin += kWidenColumns) {
        const int64_t left = args.columns - begin;
        const int64_t count = left < kWidenColumns ? left : kWidenColumns;
        float widened[kRows][kWidenColumns];
        for (int r = 0; r < kRows; ++r) {
          widen_columns<V>(reinterpret_cast<const X*>(x + r * args.x_stride_bytes) + begin, count,
                           widened[r]);
        }
        add_columns(weights + begin * V::kLanes, panel_stride,
                    reinterpret_cast<const std::byte*>(&widened[0][0]), sizeof(widened[0]), count,
                    sums);
      }
    }
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) {
      finish_tile<V, kRows>(args, panel + p, row, sums[p]);
    }
  }

 private:
  template <int kRows, int kPanels>
  [[gnu::always_inline]] static void add_columns(const W* weights, int64_t panel_stride,
                                                 const std::byte* x, int64_t x_stride_bytes,
                                                 int64_t columns, F (&sums)[kPanels][kRows]) {
    for (int64_t k = 0; k < columns; ++k) {
      if constexpr (kRows < kRowsMax) {
        prefetch_panels<kPanels, sizeof(W) * V::kLanes>(
            reinterpret_cast<const std::byte*>(weights + k * V::kLanes),
            panel_stride * static_cast<int64_t>(sizeof(W)));
      }
      F weight[kPanels];
#pragma GCC unroll 16
      for (int p = 0; p < kPanels; ++p) {
        weight[p] = V::load(weights + p * panel_stride + k * V::kLanes);
      }
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const F value = V::broadcast(reinterpret_cast<const float*>(x + r * x_stride_bytes)[k]);
#pragma GCC unroll 16
        for (int p = 0; p < kPanels; ++p) {
          sums[p][r] = V::fma(value, weight[p], sums[p][r]);
        }
      }
    }
  }
};

}  // namespace invar::cpu
