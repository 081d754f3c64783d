// Matrix products of packed weights in plain C++: the kernels that run everywhere, and the written
// meaning of what the other instruction sets compute for linear_quantized.h.
#include "kernels/cpu/linear_list.h"
#include "kernels/cpu/vec_portable.h"

namespace invar::cpu {
namespace {

struct Portable {
  using V = VecPortable;
  using I = VecPortable::I;
  static constexpr int kRowsMax = 4;
  static constexpr int kPanelsMax = 1;
  static constexpr int kDenseRowsMax = 4;
  static constexpr int kDensePanelsMax = 1;

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

  // The E2M1 value of each lane's lowest nibble.
  [[gnu::always_inline]] static V::F e2m1(I words) {
    constexpr float kSizes[8] = {0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f};
    V::F out;
    for (int lane = 0; lane < V::kLanes; ++lane) {
      const float size = kSizes[words.lane[lane] & 7];
      out.lane[lane] = (words.lane[lane] & 8) != 0 ? -size : size;
    }
    return out;
  }
  [[gnu::always_inline]] static I next_nibble(I words) {
    I out;
    for (int lane = 0; lane < V::kLanes; ++lane) {
      out.lane[lane] = static_cast<int32_t>(static_cast<uint32_t>(words.lane[lane]) >> 4);
    }
    return out;
  }

  // --- sums[p][r] += sum_c weight(panel p, lane, c) * x[r][c], over all or half of 32 columns. ---

  template <int kBegin, int kEnd, class Weight, int kRows, int kPanels>
  [[gnu::always_inline]] static void dot_columns(Weight weight,
                                                 const std::byte* const (&quants)[kPanels],
                                                 const Q8Group& x, I (&sums)[kPanels][kRows]) {
    for (int p = 0; p < kPanels; ++p) {
      for (int lane = 0; lane < V::kLanes; ++lane) {
        int32_t weights[kEnd - kBegin];
        for (int column = kBegin; column < kEnd; ++column) {
          weights[column - kBegin] = weight(quants[p], lane, column);
        }
        for (int r = 0; r < kRows; ++r) {
          int32_t sum = 0;
          for (int column = kBegin; column < kEnd; ++column) {
            sum += weights[column - kBegin] * i8(x.row(r)[column]);
          }
          sums[p][r].lane[lane] += sum;
        }
      }
    }
  }

  [[gnu::always_inline]] static int32_t nibble(const std::byte* plane, int lane, int column) {
    const int32_t both = u8(plane[column % 16 / 4 * 64 + lane * 4 + column % 4]);
    return column < 16 ? both & 15 : both >> 4;
  }

  struct Nibbles {  // kernels/panel/nibbles.h
    template <int kRows, int kPanels>
    [[gnu::always_inline]] static void dot(const std::byte* const (&planes)[kPanels],
                                           const Q8Group& x, I (&sums)[kPanels][kRows]) {
      dot_columns<0, 32>(nibble, planes, x, sums);
    }
  };

  struct FiveBits {  // kernels/panel/nibbles.h
    template <int kRows, int kPanels>
    [[gnu::always_inline]] static void dot(const std::byte* const (&planes)[kPanels],
                                           const Q8Group& x, I (&sums)[kPanels][kRows]) {
      dot_columns<0, 32>(five_bits, planes, x, sums);
    }
    [[gnu::always_inline]] static int32_t five_bits(const std::byte* planes, int lane, int column) {
      const int32_t tops = u8(planes[panel::kNibblePlaneBytes + lane * 4 + column % 4]);
      return nibble(planes, lane, column) | (tops >> (column / 4) & 1) << 4;
    }
  };

  struct Bytes {  // kernels/panel/q8_0.h
    template <int kRows, int kPanels>
    [[gnu::always_inline]] static void dot(const std::byte* const (&bytes)[kPanels],
                                           const Q8Group& x, I (&sums)[kPanels][kRows]) {
      dot_columns<0, 32>(byte, bytes, x, sums);
    }
    [[gnu::always_inline]] static int32_t byte(const std::byte* bytes, int lane, int column) {
      return u8(bytes[column / 4 * 64 + lane * 4 + column % 4]);
    }
  };

  struct SixBits {  // kernels/panel/q6_k.h
    template <int kRows, int kPanels>
    [[gnu::always_inline]] static void dot_low(const std::byte* const (&quants)[kPanels],
                                               const Q8Group& x, I (&sums)[kPanels][kRows]) {
      dot_columns<0, 16>(six_bits, quants, x, sums);
    }
    template <int kRows, int kPanels>
    [[gnu::always_inline]] static void dot_high(const std::byte* const (&quants)[kPanels],
                                                const Q8Group& x, I (&sums)[kPanels][kRows]) {
      dot_columns<16, 32>(six_bits, quants, x, sums);
    }
    [[gnu::always_inline]] static int32_t six_bits(const std::byte* quants, int lane, int column) {
      const std::byte* pairs = quants + panel::Q6_K::kPairPlane;
      const int32_t four = u8(pairs[column / 16 * 64 + lane * 4 + column % 4]);
      return nibble(quants, lane, column) | (four >> (column % 16 / 4 * 2) & 3) << 4;
    }
  };
};

}  // namespace

const LinearKernels& portable_linear_kernels() {
  static constexpr LinearKernels kKernels = list_linear_kernels<Portable>();
  return kKernels;
}

}  // namespace invar::cpu
