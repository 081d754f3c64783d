// The tile of a matrix product with quantized weights: kRows rows of q8 activations times one
// panel. Float arithmetic is written once, here, over the vector type; the exact integer sums come
// from the instruction set (`Isa`, see avx512/linear.cc and its siblings).
//
// For every group of 32 columns, ascending, with the group's exact integer sum I:
//   acc = fma(f32(I), d_w * d_x, acc)
//   acc = fma(m_w, d_x * f32(s_x), acc)      formats with a minimum; s_x the sum of the group's q
// docs/numerics.md has I, d_w and m_w of each format.
#pragma once

#include "kernels/cpu/element.h"
#include "kernels/cpu/linear_loop.h"
#include "kernels/panel/q4_0.h"
#include "kernels/panel/q4_1.h"
#include "kernels/panel/q4_k.h"
#include "kernels/panel/q5_0.h"
#include "kernels/panel/q5_1.h"
#include "kernels/panel/q5_k.h"
#include "kernels/panel/q6_k.h"
#include "kernels/panel/q8_0.h"

namespace invar::cpu {

// Groups whose corrections are computed together: a vector of them.
inline constexpr int64_t kCorrectionGroups = 16;

// The int8 values of one group of some rows.
struct Q8Group {
  const std::byte* first;
  int64_t stride_bytes;

  [[gnu::always_inline]] const std::byte* row(int index) const {
    return first + index * stride_bytes;
  }
};

// Rows of q8 activations, one `stride` after the other.
struct Q8Rows {
  const std::byte* first;
  int64_t stride_bytes;
  int64_t columns;

  [[gnu::always_inline]] Q8Group group(int64_t index) const {
    return {first + index * 32, stride_bytes};
  }
  [[gnu::always_inline]] const float* scales(int row, int64_t group) const {
    return reinterpret_cast<const float*>(first + row * stride_bytes + columns) + group;
  }
  // Two i16 sums a group: of its first and of its last 16 values.
  [[gnu::always_inline]] const float* sums(int row, int64_t group) const {
    return scales(row, columns / 32 + group);
  }
};

// What is computed of x alone, for kRows rows and up to 16 groups.
template <int kRows>
struct Corrections {
  using Line = int32_t[kCorrectionGroups];
  alignas(64) Line low[kRows];                        // added to I (of columns 0..15 if split)
  alignas(64) Line high[kRows];                       // added to I of columns 16..31 if split
  alignas(64) float scale[kRows][kCorrectionGroups];  // d_x
  alignas(64) float shift[kRows][kCorrectionGroups];  // d_x * f32(s_x)
};

// --- The formats: where a group lies, its d_w and m_w, and which integer sum it takes. ---

// Formats whose panel group is one group of 32 columns.
template <class Isa, class Layout, class SomeQuants>
struct SingleWeights {
  using V = typename Isa::V;
  using Quants = SomeQuants;
  static constexpr bool kSplit = false;
  static constexpr int64_t kGroupsInPanelGroup = 1;
  static constexpr int64_t kPanelGroupBytes = Layout::kBytes;

  [[gnu::always_inline]] static const std::byte* quants(const std::byte* group, int64_t) {
    return group;
  }
  [[gnu::always_inline]] static typename V::F scale(const std::byte* group, int64_t) {
    return V::load(reinterpret_cast<const F16*>(group + Layout::kScales));
  }
};

// I is made of q - kOffset.
template <class Isa, class Layout, class SomeQuants>
struct OffsetWeights : SingleWeights<Isa, Layout, SomeQuants> {
  static constexpr bool kHasMin = false;
  static constexpr int kOffset = Layout::kOffset;
};

template <class Isa, class Layout, class SomeQuants>
struct MinWeights : SingleWeights<Isa, Layout, SomeQuants> {
  using V = typename Isa::V;
  static constexpr bool kHasMin = true;
  static constexpr int kOffset = 0;

  [[gnu::always_inline]] static typename V::F min(const std::byte* group, int64_t) {
    return V::load(reinterpret_cast<const F16*>(group + Layout::kMins));
  }
};

// 256 columns with kernels/panel/k_scales.h: d_w = d * scale, m_w = -(dmin * minimum).
template <class Isa, class Layout, class SomeQuants>
struct KWeights {
  using V = typename Isa::V;
  using Quants = SomeQuants;
  using Scales = panel::KScales;
  static constexpr bool kHasMin = true;
  static constexpr int kOffset = 0;
  static constexpr bool kSplit = false;
  static constexpr int64_t kGroupsInPanelGroup = Scales::kParts;
  static constexpr int64_t kPanelGroupBytes = Layout::kBytes;

  [[gnu::always_inline]] static const std::byte* quants(const std::byte* group, int64_t part) {
    return group + Layout::kQuants + part * Layout::kPartBytes;
  }
  [[gnu::always_inline]] static const std::byte* part_scales(const std::byte* group, int64_t part) {
    return group + Scales::kPartScales + part * Scales::kPartScaleBytes;
  }
  [[gnu::always_inline]] static typename V::F scale(const std::byte* group, int64_t part) {
    return V::mul(V::load(reinterpret_cast<const F16*>(group + Scales::kScales)),
                  V::to_float(Isa::load_u8(part_scales(group, part))));
  }
  [[gnu::always_inline]] static typename V::F min(const std::byte* group, int64_t part) {
    const typename V::F size =
        V::mul(V::load(reinterpret_cast<const F16*>(group + Scales::kMins)),
               V::to_float(Isa::load_u8(part_scales(group, part) + V::kLanes)));
    return V::mul(size, V::broadcast(-1.0f));
  }
};

// 256 columns; I = sc_low * I_low + sc_high * I_high over the halves of each 32.
template <class Isa>
struct Q6_KWeights {
  using V = typename Isa::V;
  using Layout = panel::Q6_K;
  using Quants = typename Isa::SixBits;
  static constexpr bool kHasMin = false;
  static constexpr int kOffset = Layout::kOffset;
  static constexpr bool kSplit = true;
  static constexpr int64_t kGroupsInPanelGroup = Layout::kParts;
  static constexpr int64_t kPanelGroupBytes = Layout::kBytes;

  [[gnu::always_inline]] static const std::byte* quants(const std::byte* group, int64_t part) {
    return group + Layout::kQuants + part * Layout::kPartBytes;
  }
  [[gnu::always_inline]] static typename V::F scale(const std::byte* group, int64_t) {
    return V::load(reinterpret_cast<const F16*>(group + Layout::kScales));
  }
  // Of columns 0..15 and 16..31.
  [[gnu::always_inline]] static typename V::I scale_low(const std::byte* group, int64_t part) {
    return Isa::load_i8(group + Layout::kPartScales + part * Layout::kPartScaleBytes);
  }
  [[gnu::always_inline]] static typename V::I scale_high(const std::byte* group, int64_t part) {
    return Isa::load_i8(group + Layout::kPartScales + part * Layout::kPartScaleBytes + V::kLanes);
  }
};

// --- The tile. ---

template <class Isa, class W>
struct QuantizedTile {
  using V = typename Isa::V;
  using F = typename V::F;
  using I = typename V::I;
  static constexpr int kRowsMax = Isa::kRowsMax;
  static constexpr int kPanelsMax = Isa::kPanelsMax;
  static constexpr int kRowPanels = 1;

  template <int kRows, int kPanels>
  [[gnu::noinline]] static void run(const LinearKernel& args, int64_t panel, int64_t row) {
    const int64_t groups = args.columns / 32;
    const int64_t panel_stride = groups / W::kGroupsInPanelGroup * W::kPanelGroupBytes;
    const std::byte* weights = args.weight + panel * panel_stride;
    const Q8Rows x{args.x + row * args.x_stride_bytes, args.x_stride_bytes, args.columns};

    F sums[kPanels][kRows];
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) {
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        sums[p][r] = V::zero();
      }
    }
    Corrections<kRows> corrections;
    for (int64_t begin = 0; begin < groups; begin += kCorrectionGroups) {
      const int64_t left = groups - begin;
      const int64_t count = left < kCorrectionGroups ? left : kCorrectionGroups;
      correct<kRows>(x, begin, static_cast<int>(count), corrections);
      for (int64_t i = 0; i < count; ++i) {
        const int64_t part = i % W::kGroupsInPanelGroup;
        if constexpr (kRows < kRowsMax) {
          constexpr int kGroupBytes = W::kPanelGroupBytes / W::kGroupsInPanelGroup;
          prefetch_panels<kPanels, kGroupBytes>(weights + part * kGroupBytes, panel_stride);
        }
        add_group({weights, panel_stride, part}, x.group(begin + i), corrections, i, sums);
        weights += part + 1 == W::kGroupsInPanelGroup ? W::kPanelGroupBytes : 0;
      }
    }
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) {
      finish_tile<V, kRows>(args, panel + p, row, sums[p]);
    }
  }

 private:
  // One group of 32 columns of each of some panels.
  struct WeightGroup {
    const std::byte* first;
    int64_t panel_stride;
    int64_t part;

    [[gnu::always_inline]] const std::byte* at(int p) const { return first + p * panel_stride; }
    [[gnu::always_inline]] F scale(int p) const { return W::scale(at(p), part); }
    [[gnu::always_inline]] F min(int p) const { return W::min(at(p), part); }
  };

  template <int kRows>
  [[gnu::always_inline]] static void correct(const Q8Rows& x, int64_t group, int count,
                                             Corrections<kRows>& corrections) {
    for (int r = 0; r < kRows; ++r) {
      const F scales = V::load_partial(x.scales(r, group), count);
      const I pairs = V::bits(V::load_partial(x.sums(r, group), count));
      V::store(corrections.scale[r], scales);
      if constexpr (W::kSplit) {
        V::store_i32(corrections.low[r], Isa::weigh_pairs(pairs, -W::kOffset, 0));
        V::store_i32(corrections.high[r], Isa::weigh_pairs(pairs, 0, -W::kOffset));
      } else if constexpr (W::kOffset != 0) {
        V::store_i32(corrections.low[r], Isa::weigh_pairs(pairs, -W::kOffset, -W::kOffset));
      }
      if constexpr (W::kHasMin) {
        V::store(corrections.shift[r], V::mul(scales, V::to_float(Isa::weigh_pairs(pairs, 1, 1))));
      }
    }
  }

  template <int kRows, int kPanels>
  [[gnu::always_inline]] static void add_group(const WeightGroup& weights, const Q8Group& x,
                                               const Corrections<kRows>& corrections, int64_t i,
                                               F (&sums)[kPanels][kRows]) {
    I integers[kPanels][kRows];
    integer_sums(weights, x, corrections, i, integers);
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) {
      const F scale = weights.scale(p);
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const F both = V::mul(scale, V::broadcast(corrections.scale[r][i]));
        sums[p][r] = V::fma(V::to_float(integers[p][r]), both, sums[p][r]);
      }
      if constexpr (W::kHasMin) {
        const F min = weights.min(p);
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) {
          sums[p][r] = V::fma(min, V::broadcast(corrections.shift[r][i]), sums[p][r]);
        }
      }
    }
  }

  // I of every row and panel.
  template <int kRows, int kPanels>
  [[gnu::always_inline]] static void integer_sums(const WeightGroup& weights, const Q8Group& x,
                                                  const Corrections<kRows>& corrections, int64_t i,
                                                  I (&integers)[kPanels][kRows]) {
    const std::byte* quants[kPanels];
#pragma GCC unroll 16
    for (int p = 0; p < kPanels; ++p) {
      quants[p] = W::quants(weights.at(p), weights.part);
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        integers[p][r] = V::broadcast_i32(W::kOffset != 0 ? corrections.low[r][i] : 0);
      }
    }
    if constexpr (!W::kSplit) {
      W::Quants::dot(quants, x, integers);
      return;
    } else {
      I high[kPanels][kRows];
#pragma GCC unroll 16
      for (int p = 0; p < kPanels; ++p) {
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) {
          high[p][r] = V::broadcast_i32(corrections.high[r][i]);
        }
      }
      W::Quants::dot_low(quants, x, integers);
      W::Quants::dot_high(quants, x, high);
#pragma GCC unroll 16
      for (int p = 0; p < kPanels; ++p) {
        const I scale_low = W::scale_low(weights.at(p), weights.part);
        const I scale_high = W::scale_high(weights.at(p), weights.part);
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) {
          integers[p][r] =
              V::add_i32(V::mul_i32(integers[p][r], scale_low), V::mul_i32(high[p][r], scale_high));
        }
      }
    }
  }
};

}  // namespace invar::cpu
