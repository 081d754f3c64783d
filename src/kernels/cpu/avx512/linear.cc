// Matrix products of packed weights with AVX-512 and VNNI: 16 outputs in a register, dot products
// of four bytes a lane.
#include "kernels/cpu/linear_list.h"
#include "kernels/cpu/vec_avx512.h"

namespace invar::cpu {
namespace {

struct Avx512 {
  using V = VecAvx512;
  using I = VecAvx512::I;
  // Tiles whose chains hide the latency of the multiply-adds, and whose sums fit the registers.
  static constexpr int kRowsMax = 6;
  static constexpr int kPanelsMax = 2;
  static constexpr int kDenseRowsMax = 6;
  static constexpr int kDensePanelsMax = 4;

  [[gnu::always_inline]] static __m512i load(const std::byte* p) { return _mm512_loadu_si512(p); }
  [[gnu::always_inline]] static I load_u8(const std::byte* p) {
    return {_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
  }
  [[gnu::always_inline]] static I load_i8(const std::byte* p) {
    return {_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
  }
  // low * (low i16 of each lane) + high * (high i16).
  [[gnu::always_inline]] static I weigh_pairs(I pairs, int low, int high) {
    const int weights = static_cast<int>(static_cast<unsigned>(high) << 16 |
                                         (static_cast<unsigned>(low) & 0xffffu));
    return {_mm512_madd_epi16(pairs.v, _mm512_set1_epi32(weights))};
  }

  // The E2M1 value of each lane's lowest nibble.
  [[gnu::always_inline]] static V::F e2m1(I words) {
    const __m512 values = _mm512_setr_ps(0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f, -0.0f,
                                         -0.5f, -1.0f, -1.5f, -2.0f, -3.0f, -4.0f, -6.0f);
    return {_mm512_permutexvar_ps(words.v, values)};
  }
  [[gnu::always_inline]] static I next_nibble(I words) { return {_mm512_srli_epi32(words.v, 4)}; }

  // --- Dot products as portable/linear.cc defines them. ---

  // sums[p][r] += the dot products of four columns of each lane.
  template <int kRows, int kPanels>
  [[gnu::always_inline]] static void add_four(const __m512i (&weights)[kPanels], const Q8Group& x,
                                              int column, I (&sums)[kPanels][kRows]) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      int32_t four;
      __builtin_memcpy(&four, x.row(r) + column, 4);
      const __m512i all = _mm512_set1_epi32(four);
#pragma GCC unroll 16
      for (int p = 0; p < kPanels; ++p) {
        sums[p][r].v = _mm512_dpbusd_epi32(sums[p][r].v, weights[p], all);
      }
    }
  }

  struct Nibbles {
    template <int kRows, int kPanels>
    [[gnu::always_inline]] static void dot(const std::byte* const (&planes)[kPanels],
                                           const Q8Group& x, I (&sums)[kPanels][kRows]) {
      const __m512i mask = _mm512_set1_epi8(15);
#pragma GCC unroll 16
      for (int v = 0; v < 4; ++v) {
        __m512i low[kPanels];
        __m512i high[kPanels];
#pragma GCC unroll 16
        for (int p = 0; p < kPanels; ++p) {
          const __m512i both = load(planes[p] + 64 * v);
          low[p] = _mm512_and_si512(both, mask);
          high[p] = _mm512_and_si512(_mm512_srli_epi16(both, 4), mask);
        }
        add_four(low, x, 4 * v, sums);
        add_four(high, x, 16 + 4 * v, sums);
      }
    }
  };

  struct FiveBits {
    template <int kRows, int kPanels>
    [[gnu::always_inline]] static void dot(const std::byte* const (&planes)[kPanels],
                                           const Q8Group& x, I (&sums)[kPanels][kRows]) {
      const __m512i mask = _mm512_set1_epi8(15);
#pragma GCC unroll 16
      for (int v = 0; v < 4; ++v) {
        __m512i low[kPanels];
        __m512i high[kPanels];
#pragma GCC unroll 16
        for (int p = 0; p < kPanels; ++p) {
          const __m512i both = load(planes[p] + 64 * v);
          const __m512i bits = load(planes[p] + panel::kNibblePlaneBytes);
          low[p] = join(_mm512_and_si512(both, mask), _mm512_slli_epi16(bits, 4 - v));
          high[p] =
              join(_mm512_and_si512(_mm512_srli_epi16(both, 4), mask), _mm512_srli_epi16(bits, v));
        }
        add_four(low, x, 4 * v, sums);
        add_four(high, x, 16 + 4 * v, sums);
      }
    }
    // nibbles | (bits & 16)
    [[gnu::always_inline]] static __m512i join(__m512i nibbles, __m512i bits) {
      return _mm512_ternarylogic_epi32(nibbles, bits, _mm512_set1_epi8(16), 0xf8);
    }
  };

  struct Bytes {
    template <int kRows, int kPanels>
    [[gnu::always_inline]] static void dot(const std::byte* const (&bytes)[kPanels],
                                           const Q8Group& x, I (&sums)[kPanels][kRows]) {
#pragma GCC unroll 16
      for (int v = 0; v < 8; ++v) {
        __m512i weights[kPanels];
#pragma GCC unroll 16
        for (int p = 0; p < kPanels; ++p) {
          weights[p] = load(bytes[p] + 64 * v);
        }
        add_four(weights, x, 4 * v, sums);
      }
    }
  };

  struct SixBits {
    template <int kRows, int kPanels>
    [[gnu::always_inline]] static void dot_low(const std::byte* const (&quants)[kPanels],
                                               const Q8Group& x, I (&sums)[kPanels][kRows]) {
      dot_half<0>(quants, x, sums);
    }
    template <int kRows, int kPanels>
    [[gnu::always_inline]] static void dot_high(const std::byte* const (&quants)[kPanels],
                                                const Q8Group& x, I (&sums)[kPanels][kRows]) {
      dot_half<1>(quants, x, sums);
    }
    template <int kHalf, int kRows, int kPanels>
    [[gnu::always_inline]] static void dot_half(const std::byte* const (&quants)[kPanels],
                                                const Q8Group& x, I (&sums)[kPanels][kRows]) {
#pragma GCC unroll 16
      for (int v = 0; v < 4; ++v) {
        __m512i weights[kPanels];
#pragma GCC unroll 16
        for (int p = 0; p < kPanels; ++p) {
          const __m512i both = load(quants[p] + 64 * v);
          const __m512i low = _mm512_and_si512(kHalf == 0 ? both : _mm512_srli_epi16(both, 4),
                                               _mm512_set1_epi8(15));
          const __m512i pairs = load(quants[p] + panel::Q6_K::kPairPlane + 64 * kHalf);
          // low | (top & mask)
          weights[p] = _mm512_ternarylogic_epi32(low, top(pairs, v), _mm512_set1_epi8(0x30), 0xf8);
        }
        add_four(weights, x, 16 * kHalf + 4 * v, sums);
      }
    }
    // Bit pair `v` of each byte, at bits 4 and 5.
    [[gnu::always_inline]] static __m512i top(__m512i pairs, int v) {
      switch (v) {
        case 0:
          return _mm512_slli_epi16(pairs, 4);
        case 1:
          return _mm512_slli_epi16(pairs, 2);
        case 2:
          return pairs;
        default:
          return _mm512_srli_epi16(pairs, 2);
      }
    }
  };
};

}  // namespace

const LinearKernels& avx512_linear_kernels() {
  static constexpr LinearKernels kKernels = list_linear_kernels<Avx512>();
  return kKernels;
}

}  // namespace invar::cpu
