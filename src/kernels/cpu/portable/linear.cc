// Matrix products of packed weights in plain C++: the kernels that run everywhere, and the written
// meaning of what the other instruction sets compute for linear_quantized.h.
#include "kernels/cpu/linear_quantized.h"
#include "kernels/cpu/vec_portable.h"

namespace invar::cpu {
namespace {

struct Portable {
  using V = VecPortable;
  using I = VecPortable::I;
  static constexpr int kRowsMax = 4;

  [[gnu::always_inline]] static int32_t u8(std::byte value) { return static_cast<uint8_t>(value); }
  [[gnu::always_inline]] static int32_t i8(std::byte value) { return static_cast<int8_t>(value); }

  [[gnu::always_inline]] static I load_u8(const std::byte* p) {
    I out;
    for (int lane = 0; lane < V::kLanes; ++lane) {
      out.lane[lane] = u8(p[lane]);
    }
    return out;
  }
  [[gnu::always_inline]] static I load_i8(const std::byte* p) {
    I out;
    for (int lane = 0; lane < V::kLanes; ++lane) {
      out.lane[lane] = i8(p[lane]);
    }
    return out;
  }
  // low * (low i16 of each lane) + high * (high i16); both factors fit an i16.
  [[gnu::always_inline]] static I weigh_pairs(I pairs, int low, int high) {
    I out;
    for (int lane = 0; lane < V::kLanes; ++lane) {
      const auto first = static_cast<int16_t>(pairs.lane[lane] & 0xffff);
      const auto second = static_cast<int16_t>(pairs.lane[lane] >> 16);
      out.lane[lane] = low * first + high * second;
    }
    return out;
  }

  template <int kRows>
  [[gnu::always_inline]] static void zero_sums(I (&sums)[kRows]) {
    for (int r = 0; r < kRows; ++r) {
      sums[r] = V::broadcast_i32(0);
    }
  }
  template <int kRows>
  [[gnu::always_inline]] static void load_sums(const int32_t (&start)[kRows][kCorrectionGroups],
                                               int64_t i, I (&sums)[kRows]) {
    for (int r = 0; r < kRows; ++r) {
      sums[r] = V::broadcast_i32(start[r][i]);
    }
  }

  // sums[r] += sum_c weight(lane, c) * x[r][c] over kColumns columns.
  template <int kRows, int kColumns, class Weight>
  [[gnu::always_inline]] static void dot(Weight weight, const std::byte* x, int64_t x_stride_bytes,
                                         I (&sums)[kRows]) {
    for (int lane = 0; lane < V::kLanes; ++lane) {
      int32_t row_weights[kColumns];
      for (int column = 0; column < kColumns; ++column) {
        row_weights[column] = weight(lane, column);
      }
      for (int r = 0; r < kRows; ++r) {
        int32_t sum = 0;
        for (int column = 0; column < kColumns; ++column) {
          sum += row_weights[column] * i8(x[r * x_stride_bytes + column]);
        }
        sums[r].lane[lane] += sum;
      }
    }
  }

  // Weights of 4 bits, 32 columns (kernels/panel/nibbles.h).
  template <int kRows>
  [[gnu::always_inline]] static void dot_nibbles(const std::byte* plane, const Q8Rows& x,
                                                 int64_t group, I (&sums)[kRows]) {
    const auto weight = [plane](int lane, int column) {
      const int32_t both = u8(plane[column % 16 / 4 * 64 + lane * 4 + column % 4]);
      return column < 16 ? both & 15 : both >> 4;
    };
    dot<kRows, 32>(weight, x.quants(0, group), x.stride_bytes, sums);
  }

  // Unsigned bytes, 32 columns (kernels/panel/q8_0.h).
  template <int kRows>
  [[gnu::always_inline]] static void dot_bytes(const std::byte* bytes, const Q8Rows& x,
                                               int64_t group, I (&sums)[kRows]) {
    const auto weight = [bytes](int lane, int column) {
      return u8(bytes[column / 4 * 64 + lane * 4 + column % 4]);
    };
    dot<kRows, 32>(weight, x.quants(0, group), x.stride_bytes, sums);
  }

  // Weights of 6 bits (kernels/panel/q6_k.h): columns 0..15 into `low`, 16..31 into `high`.
  template <int kRows>
  [[gnu::always_inline]] static void dot_six_bits(const std::byte* nibbles, const std::byte* pairs,
                                                  const Q8Rows& x, int64_t group, I (&low)[kRows],
                                                  I (&high)[kRows]) {
    const auto weight = [nibbles, pairs](int lane, int column, int half) {
      const int at = lane * 4 + column % 4;
      const int32_t nibble = u8(nibbles[column / 4 * 64 + at]) >> (4 * half) & 15;
      return nibble | (u8(pairs[half * 64 + at]) >> (column / 4 * 2) & 3) << 4;
    };
    dot<kRows, 16>([weight](int lane, int column) { return weight(lane, column, 0); },
                   x.quants(0, group), x.stride_bytes, low);
    dot<kRows, 16>([weight](int lane, int column) { return weight(lane, column, 1); },
                   x.quants(0, group) + 16, x.stride_bytes, high);
  }
};

template <template <class> class Weights>
constexpr LinearFunction kQuantized = &run_linear<QuantizedTile<Portable, Weights>>;

}  // namespace

const LinearKernels& portable_linear_kernels() {
  // In the order of WeightFormat: F32, F16, BF16, Q4_0, Q4_1, Q8_0, Q4_K, Q6_K.
  static constexpr LinearKernels kKernels = {
      .f32 = {},
      .bf16 = {},
      .quantized = {nullptr, nullptr, nullptr, kQuantized<Q4_0Weights>, kQuantized<Q4_1Weights>,
                    kQuantized<Q8_0Weights>, kQuantized<Q4_KWeights>, kQuantized<Q6_KWeights>},
  };
  return kKernels;
}

}  // namespace invar::cpu
