// The tile of a matrix product with MXFP4 weights: kRows rows of f32 or bf16 activations times one
// panel, the weights widened in registers.
//   acc = fma(x_k, w_k, acc), K ascending, with w_k the f32 product of value and scale.
#pragma once

#include "kernels/cpu/linear_dense.h"
#include "kernels/panel/mxfp4.h"

namespace invar::cpu {

template <class Isa, class X>
struct Mxfp4Tile {
  using V = typename Isa::V;
  using F = typename V::F;
  using I = typename V::I;
  using Layout = panel::Mxfp4;
  static constexpr int kRowsMax = Isa::kRowsMax;
  static constexpr int kPanelsMax = Isa::kPanelsMax;
  static constexpr int kRowPanels = Isa::kDensePanelsMax;
  static constexpr int64_t kGroupColumns = 32;

  template <int kRows, int kPanels>
  [[gnu::noinline]] static void run(const LinearKernel& args, int64_t panel, int64_t row) {
    const int64_t groups = args.columns / kGroupColumns;
    const int64_t panel_stride = groups * Layout::kBytes;
    const std::byte* weights = args.weight + panel * panel_stride;
    const std::byte* x = args.x + row * args.x_stride_bytes;
    F sums[kPanels][kRows];
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) {
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        sums[p][r] = V::zero();
      }
    }
    for (int64_t g = 0; g < groups; ++g, weights += Layout::kBytes) {
      if constexpr (kRows < kRowsMax) {
        prefetch_panels<kPanels, Layout::kBytes>(weights, panel_stride);
      }
      const std::byte* group = x + g * kGroupColumns * static_cast<int64_t>(sizeof(X));
      if constexpr (sizeof(X) == sizeof(float)) {
        add_group(weights, panel_stride, group, args.x_stride_bytes, sums);
      } else {
        float widened[kRows][kGroupColumns];
        for (int r = 0; r < kRows; ++r) {
          widen_columns<V>(reinterpret_cast<const X*>(group + r * args.x_stride_bytes),
                           kGroupColumns, widened[r]);
        }
        add_group(weights, panel_stride, reinterpret_cast<const std::byte*>(&widened[0][0]),
                  sizeof(widened[0]), sums);
      }
    }
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) {
      finish_tile<V, kRows>(args, panel + p, row, sums[p]);
    }
  }

 private:
  // 32 columns of each panel. `x` are f32.
  template <int kRows, int kPanels>
  [[gnu::always_inline]] static void add_group(const std::byte* weights, int64_t panel_stride,
                                               const std::byte* x, int64_t x_stride_bytes,
                                               F (&sums)[kPanels][kRows]) {
    F scale[kPanels];
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) {
      // 2^(e - 127) has e as its exponent; e = 0 is the subnormal number 2^-127.
      const I e = Isa::load_u8(weights + p * panel_stride + Layout::kScales);
      scale[p] =
          V::from_bits(V::max_i32(V::template shift_left<23>(e), V::broadcast_i32(0x00400000)));
    }
#pragma GCC unroll 1
    for (int v = 0; v < 4; ++v) {
      I words[kPanels];
#pragma GCC unroll 16
      for (int p = 0; p < kPanels; ++p) {
        words[p] =
            V::load_i32(reinterpret_cast<const int32_t*>(weights + p * panel_stride + 64 * v));
      }
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i) {
        F weight[kPanels];
#pragma GCC unroll 16
        for (int p = 0; p < kPanels; ++p) {
          weight[p] = V::mul(Isa::e2m1(words[p]), scale[p]);
          words[p] = Isa::next_nibble(words[p]);
        }
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) {
          const F value =
              V::broadcast(reinterpret_cast<const float*>(x + r * x_stride_bytes)[8 * v + i]);
#pragma GCC unroll 16
          for (int p = 0; p < kPanels; ++p) {
            sums[p][r] = V::fma(value, weight[p], sums[p][r]);
          }
        }
      }
    }
  }
};

}  // namespace invar::cpu
