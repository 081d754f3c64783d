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
#include "kernels/panel/q6_k.h"
#include "kernels/panel/q8_0.h"

namespace invar::cpu {

// Groups whose corrections are computed together: a vector of them.
inline constexpr int64_t kCorrectionGroups = 16;

// Rows of q8 activations, one `stride` after the other.
struct Q8Rows {
  const std::byte* first;
  int64_t stride_bytes;
  int64_t columns;

  [[gnu::always_inline]] const std::byte* quants(int row, int64_t group) const {
    return first + row * stride_bytes + group * 32;
  }
  [[gnu::always_inline]] const float* scales(int row, int64_t group) const {
    return reinterpret_cast<const float*>(first + row * stride_bytes + columns) + group;
  }
  // Two i16 sums a group: of its first and of its last 16 values.
  [[gnu::always_inline]] const float* sums(int row, int64_t group) const {
    return scales(row, columns / 32 + group);
  }
};

// What the sums of x contribute, for kRows rows and up to 16 groups.
template <int kRows>
struct Corrections {
  alignas(64) int32_t low[kRows][kCorrectionGroups];   // added to I (of columns 0..15 if split)
  alignas(64) int32_t high[kRows][kCorrectionGroups];  // added to I of columns 16..31 if split
  alignas(64) float shift[kRows][kCorrectionGroups];   // d_x * f32(s_x)
};

// --- The formats: where a group lies, its d_w and m_w, and which integer sum it takes. ---

template <class Isa>
struct Q4_0Weights {
  using V = typename Isa::V;
  static constexpr bool kHasMin = false;
  static constexpr int kOffset = panel::Q4_0::kOffset;
  static constexpr bool kSplit = false;
  static constexpr int64_t kGroupsInPanelGroup = 1;
  static constexpr int64_t kPanelGroupBytes = panel::Q4_0::kBytes;

  [[gnu::always_inline]] static typename V::F scale(const std::byte* group, int64_t) {
    return V::load(reinterpret_cast<const F16*>(group + panel::Q4_0::kScales));
  }
  template <int kRows>
  [[gnu::always_inline]] static void dot(const std::byte* group, int64_t /*part*/, const Q8Rows& x,
                                         int64_t x_group, const Corrections<kRows>& corrections,
                                         int64_t i, typename V::I (&sums)[kRows]) {
    Isa::template load_sums<kRows>(corrections.low, i, sums);
    Isa::template dot_nibbles<kRows>(group, x, x_group, sums);
  }
};

template <class Isa>
struct Q4_1Weights {
  using V = typename Isa::V;
  static constexpr bool kHasMin = true;
  static constexpr int kOffset = 0;
  static constexpr bool kSplit = false;
  static constexpr int64_t kGroupsInPanelGroup = 1;
  static constexpr int64_t kPanelGroupBytes = panel::Q4_1::kBytes;

  [[gnu::always_inline]] static typename V::F scale(const std::byte* group, int64_t) {
    return V::load(reinterpret_cast<const F16*>(group + panel::Q4_1::kScales));
  }
  [[gnu::always_inline]] static typename V::F min(const std::byte* group, int64_t) {
    return V::load(reinterpret_cast<const F16*>(group + panel::Q4_1::kMins));
  }
  template <int kRows>
  [[gnu::always_inline]] static void dot(const std::byte* group, int64_t /*part*/, const Q8Rows& x,
                                         int64_t x_group, const Corrections<kRows>& /*corrections*/,
                                         int64_t /*i*/, typename V::I (&sums)[kRows]) {
    Isa::template zero_sums<kRows>(sums);
    Isa::template dot_nibbles<kRows>(group, x, x_group, sums);
  }
};

template <class Isa>
struct Q8_0Weights {
  using V = typename Isa::V;
  static constexpr bool kHasMin = false;
  static constexpr int kOffset = panel::Q8_0::kOffset;
  static constexpr bool kSplit = false;
  static constexpr int64_t kGroupsInPanelGroup = 1;
  static constexpr int64_t kPanelGroupBytes = panel::Q8_0::kBytes;

  [[gnu::always_inline]] static typename V::F scale(const std::byte* group, int64_t) {
    return V::load(reinterpret_cast<const F16*>(group + panel::Q8_0::kScales));
  }
  template <int kRows>
  [[gnu::always_inline]] static void dot(const std::byte* group, int64_t /*part*/, const Q8Rows& x,
                                         int64_t x_group, const Corrections<kRows>& corrections,
                                         int64_t i, typename V::I (&sums)[kRows]) {
    Isa::template load_sums<kRows>(corrections.low, i, sums);
    Isa::template dot_bytes<kRows>(group, x, x_group, sums);
  }
};

template <class Isa>
struct Q4_KWeights {
  using V = typename Isa::V;
  using Layout = panel::Q4_K;
  static constexpr bool kHasMin = true;
  static constexpr int kOffset = 0;
  static constexpr bool kSplit = false;
  static constexpr int64_t kGroupsInPanelGroup = Layout::kParts;
  static constexpr int64_t kPanelGroupBytes = Layout::kBytes;

  [[gnu::always_inline]] static const std::byte* part_scales(const std::byte* group, int64_t part) {
    return group + Layout::kPartScales + part * Layout::kPartScaleBytes;
  }
  [[gnu::always_inline]] static typename V::F scale(const std::byte* group, int64_t part) {
    return V::mul(V::load(reinterpret_cast<const F16*>(group + Layout::kScales)),
                  V::to_float(Isa::load_u8(part_scales(group, part))));
  }
  [[gnu::always_inline]] static typename V::F min(const std::byte* group, int64_t part) {
    const typename V::F size =
        V::mul(V::load(reinterpret_cast<const F16*>(group + Layout::kMins)),
               V::to_float(Isa::load_u8(part_scales(group, part) + V::kLanes)));
    return V::mul(size, V::broadcast(-1.0f));
  }
  template <int kRows>
  [[gnu::always_inline]] static void dot(const std::byte* group, int64_t part, const Q8Rows& x,
                                         int64_t x_group, const Corrections<kRows>& /*corrections*/,
                                         int64_t /*i*/, typename V::I (&sums)[kRows]) {
    Isa::template zero_sums<kRows>(sums);
    Isa::template dot_nibbles<kRows>(group + Layout::kQuants + part * panel::kNibblePlaneBytes, x,
                                     x_group, sums);
  }
};

template <class Isa>
struct Q6_KWeights {
  using V = typename Isa::V;
  using Layout = panel::Q6_K;
  static constexpr bool kHasMin = false;
  static constexpr int kOffset = Layout::kOffset;
  static constexpr bool kSplit = true;
  static constexpr int64_t kGroupsInPanelGroup = Layout::kParts;
  static constexpr int64_t kPanelGroupBytes = Layout::kBytes;

  [[gnu::always_inline]] static typename V::F scale(const std::byte* group, int64_t) {
    return V::load(reinterpret_cast<const F16*>(group + Layout::kScales));
  }
  // I = sc_low * I_low + sc_high * I_high, exact: below 2^25.
  template <int kRows>
  [[gnu::always_inline]] static void dot(const std::byte* group, int64_t part, const Q8Rows& x,
                                         int64_t x_group, const Corrections<kRows>& corrections,
                                         int64_t i, typename V::I (&sums)[kRows]) {
    typename V::I high[kRows];
    Isa::template load_sums<kRows>(corrections.low, i, sums);
    Isa::template load_sums<kRows>(corrections.high, i, high);
    const std::byte* quants = group + Layout::kQuants + part * Layout::kPartBytes;
    Isa::template dot_six_bits<kRows>(quants, quants + Layout::kPairPlane, x, x_group, sums, high);
    const std::byte* scales = group + Layout::kPartScales + part * Layout::kPartScaleBytes;
    const typename V::I scale_low = Isa::load_i8(scales);
    const typename V::I scale_high = Isa::load_i8(scales + V::kLanes);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      sums[r] = V::add_i32(V::mul_i32(sums[r], scale_low), V::mul_i32(high[r], scale_high));
    }
  }
};

// --- The tile. ---

template <class Isa, template <class> class Weights>
struct QuantizedTile {
  using V = typename Isa::V;
  using W = Weights<Isa>;
  static constexpr int kRowsMax = Isa::kRowsMax;

  template <int kRows>
  [[gnu::noinline]] static void run(const LinearKernel& args, int64_t panel, int64_t row) {
    const int64_t groups = args.columns / 32;
    const std::byte* weights =
        args.weight + panel * (groups / W::kGroupsInPanelGroup * W::kPanelGroupBytes);
    const Q8Rows x{args.x + row * args.x_stride_bytes, args.x_stride_bytes, args.columns};

    typename V::F sums[kRows];
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      sums[r] = V::zero();
    }
    Corrections<kRows> corrections;
    for (int64_t begin = 0; begin < groups; begin += kCorrectionGroups) {
      const int64_t left = groups - begin;
      const int64_t count = left < kCorrectionGroups ? left : kCorrectionGroups;
      correct<kRows>(x, begin, static_cast<int>(count), corrections);
      for (int64_t i = 0; i < count; ++i) {
        const int64_t part = i % W::kGroupsInPanelGroup;
        add_group<kRows>(weights, part, x, begin + i, corrections, i, sums);
        weights += part + 1 == W::kGroupsInPanelGroup ? W::kPanelGroupBytes : 0;
      }
    }
    finish_tile<V, kRows>(args, panel, row, sums);
  }

 private:
  template <int kRows>
  [[gnu::always_inline]] static void correct(const Q8Rows& x, int64_t group, int count,
                                             Corrections<kRows>& corrections) {
    if constexpr (W::kOffset == 0 && !W::kHasMin) {
      return;
    }
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const typename V::I pairs = V::bits(V::load_partial(x.sums(r, group), count));
      if constexpr (W::kSplit) {
        V::store_i32(corrections.low[r], Isa::weigh_pairs(pairs, -W::kOffset, 0));
        V::store_i32(corrections.high[r], Isa::weigh_pairs(pairs, 0, -W::kOffset));
      } else if constexpr (W::kOffset != 0) {
        V::store_i32(corrections.low[r], Isa::weigh_pairs(pairs, -W::kOffset, -W::kOffset));
      }
      if constexpr (W::kHasMin) {
        V::store(corrections.shift[r], V::mul(V::load_partial(x.scales(r, group), count),
                                              V::to_float(Isa::weigh_pairs(pairs, 1, 1))));
      }
    }
  }

  template <int kRows>
  [[gnu::always_inline]] static void add_group(const std::byte* weights, int64_t part,
                                               const Q8Rows& x, int64_t group,
                                               const Corrections<kRows>& corrections, int64_t i,
                                               typename V::F (&sums)[kRows]) {
    typename V::I integer_sums[kRows];
    W::template dot<kRows>(weights, part, x, group, corrections, i, integer_sums);
    const typename V::F scale = W::scale(weights, part);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const typename V::F both = V::mul(scale, V::broadcast(*x.scales(r, group)));
      sums[r] = V::fma(V::to_float(integer_sums[r]), both, sums[r]);
    }
    if constexpr (W::kHasMin) {
      const typename V::F min = W::min(weights, part);
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        sums[r] = V::fma(min, V::broadcast(corrections.shift[r][i]), sums[r]);
      }
    }
  }
};

}  // namespace invar::cpu
