// Matrix products of packed weights with AVX2: 8 outputs in a register, two registers a panel.
//
// The byte dot product of AVX2 sums two products into an i16 and saturates, so weights enter it in
// pieces small enough that no sum can reach the limit (given with each function): all sums are
// exact, for every activation from -128 to 127.
#include "kernels/cpu/linear_dense.h"
#include "kernels/cpu/linear_quantized.h"
#include "kernels/cpu/vec_avx2.h"

namespace invar::cpu {
namespace {

struct Avx2 {
  using V = VecAvx2;
  using I = VecAvx2::I;
  // Tiles whose sums fit the 16 registers; the weights of a group stay in memory.
  static constexpr int kRowsMax = 4;
  static constexpr int kPanelsMax = 1;
  static constexpr int kDenseRowsMax = 2;
  static constexpr int kDensePanelsMax = 2;

  // --- Lanes. ---

  [[gnu::always_inline]] static __m256i load(const std::byte* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  [[gnu::always_inline]] static I load_u8(const std::byte* p) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return {_mm256_cvtepu8_epi32(bytes), _mm256_cvtepu8_epi32(_mm_srli_si128(bytes, 8))};
  }
  [[gnu::always_inline]] static I load_i8(const std::byte* p) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return {_mm256_cvtepi8_epi32(bytes), _mm256_cvtepi8_epi32(_mm_srli_si128(bytes, 8))};
  }
  // low * (low i16 of each lane) + high * (high i16).
  [[gnu::always_inline]] static I weigh_pairs(I pairs, int low, int high) {
    const __m256i weights = _mm256_set1_epi32(static_cast<int>(
        static_cast<unsigned>(high) << 16 | (static_cast<unsigned>(low) & 0xffffu)));
    return {_mm256_madd_epi16(pairs.low, weights), _mm256_madd_epi16(pairs.high, weights)};
  }
  // --- Pieces of dot products: lanes [8 * kHalf, 8 * kHalf + 8). ---

  template <int kHalf>
  [[gnu::always_inline]] static void add(I& sum, __m256i value) {
    if constexpr (kHalf == 0) {
      sum.low = _mm256_add_epi32(sum.low, value);
    } else {
      sum.high = _mm256_add_epi32(sum.high, value);
    }
  }
  // Pairs of products of unsigned weights with four columns of x, as i16.
  [[gnu::always_inline]] static __m256i multiply(__m256i weights, const std::byte* x) {
    int32_t four;
    __builtin_memcpy(&four, x, 4);
    return _mm256_maddubs_epi16(weights, _mm256_set1_epi32(four));
  }
  [[gnu::always_inline]] static __m256i low_nibbles(__m256i bytes) {
    return _mm256_and_si256(bytes, _mm256_set1_epi8(15));
  }
  [[gnu::always_inline]] static __m256i high_nibbles(__m256i bytes) {
    return _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(15));
  }
  template <int kCount>
  [[gnu::always_inline]] static void clear(__m256i (&words)[kCount]) {
#pragma GCC unroll 16
    for (int i = 0; i < kCount; ++i) {
      words[i] = _mm256_setzero_si256();
    }
  }

  // --- Dot products as portable/linear.cc defines them. ---

  struct Nibbles {
    template <int kRows>
    [[gnu::always_inline]] static void dot(const std::byte* const (&planes)[1], const Q8Group& x,
                                           I (&sums)[1][kRows]) {
      dot_half<0>(planes[0], x, sums[0]);
      dot_half<1>(planes[0] + 32, x, sums[0]);
    }
    // An i16 sums eight pairs: at most 8 * 2 * 15 * 128 = 30720.
    template <int kHalf, int kRows>
    [[gnu::always_inline]] static void dot_half(const std::byte* plane, const Q8Group& x,
                                                I (&sums)[kRows]) {
      __m256i words[kRows];
      clear(words);
#pragma GCC unroll 16
      for (int v = 0; v < 4; ++v) {
        const __m256i both = load(plane + 64 * v);
        const __m256i low = low_nibbles(both);
        const __m256i high = high_nibbles(both);
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) {
          words[r] = _mm256_add_epi16(words[r], multiply(low, x.row(r) + 4 * v));
          words[r] = _mm256_add_epi16(words[r], multiply(high, x.row(r) + 4 * v + 16));
        }
      }
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        add<kHalf>(sums[r], _mm256_madd_epi16(words[r], _mm256_set1_epi16(1)));
      }
    }
  };

  // The nibbles of the unsigned bytes apart, each as above; the high ones count sixteenfold.
  struct Bytes {
    template <int kRows>
    [[gnu::always_inline]] static void dot(const std::byte* const (&bytes)[1], const Q8Group& x,
                                           I (&sums)[1][kRows]) {
      dot_half<0>(bytes[0], x, sums[0]);
      dot_half<1>(bytes[0] + 32, x, sums[0]);
    }
    template <int kHalf, int kRows>
    [[gnu::always_inline]] static void dot_half(const std::byte* bytes, const Q8Group& x,
                                                I (&sums)[kRows]) {
      __m256i low_words[kRows];
      __m256i high_words[kRows];
      clear(low_words);
      clear(high_words);
#pragma GCC unroll 16
      for (int v = 0; v < 8; ++v) {
        const __m256i both = load(bytes + 64 * v);
        const __m256i low = low_nibbles(both);
        const __m256i high = high_nibbles(both);
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) {
          low_words[r] = _mm256_add_epi16(low_words[r], multiply(low, x.row(r) + 4 * v));
          high_words[r] = _mm256_add_epi16(high_words[r], multiply(high, x.row(r) + 4 * v));
        }
      }
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        add<kHalf>(sums[r], _mm256_madd_epi16(low_words[r], _mm256_set1_epi16(1)));
        add<kHalf>(sums[r], _mm256_madd_epi16(high_words[r], _mm256_set1_epi16(16)));
      }
    }
  };

  // An i16 sums two pairs: at most 2 * 2 * 63 * 128 = 32256.
  struct SixBits {
    template <int kRows>
    [[gnu::always_inline]] static void dot_low(const std::byte* const (&quants)[1],
                                               const Q8Group& x, I (&sums)[1][kRows]) {
      dot_quarter<0, 0>(quants[0], x, sums[0]);
      dot_quarter<0, 1>(quants[0] + 32, x, sums[0]);
    }
    template <int kRows>
    [[gnu::always_inline]] static void dot_high(const std::byte* const (&quants)[1],
                                                const Q8Group& x, I (&sums)[1][kRows]) {
      dot_quarter<1, 0>(quants[0], x, sums[0]);
      dot_quarter<1, 1>(quants[0] + 32, x, sums[0]);
    }
    // The 16 columns of the low (kHigh 0) or high (1) nibbles, for a half of the lanes.
    template <int kHigh, int kHalf, int kRows>
    [[gnu::always_inline]] static void dot_quarter(const std::byte* quants, const Q8Group& x,
                                                   I (&sums)[kRows]) {
      const __m256i pairs = load(quants + panel::Q6_K::kPairPlane + 64 * kHigh);
      const __m256i tops[4] = {_mm256_slli_epi16(pairs, 4), _mm256_slli_epi16(pairs, 2), pairs,
                               _mm256_srli_epi16(pairs, 2)};
      __m256i weights[4];
#pragma GCC unroll 16
      for (int v = 0; v < 4; ++v) {
        const __m256i both = load(quants + 64 * v);
        weights[v] = _mm256_or_si256(kHigh == 0 ? low_nibbles(both) : high_nibbles(both),
                                     _mm256_and_si256(tops[v], _mm256_set1_epi8(0x30)));
      }
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const std::byte* columns = x.row(r) + 16 * kHigh;
#pragma GCC unroll 16
        for (int v = 0; v < 4; v += 2) {
          const __m256i words = _mm256_add_epi16(multiply(weights[v], columns + 4 * v),
                                                 multiply(weights[v + 1], columns + 4 * v + 4));
          add<kHalf>(sums[r], _mm256_madd_epi16(words, _mm256_set1_epi16(1)));
        }
      }
    }
  };
};

template <template <class> class Weights>
constexpr LinearFunction kQuantized = &run_linear<QuantizedTile<Avx2, Weights>>;

template <class W, class X>
constexpr LinearFunction kDense =
    &run_linear<DenseTile<Avx2::V, W, X, Avx2::kDenseRowsMax, Avx2::kDensePanelsMax>>;

}  // namespace

const LinearKernels& avx2_linear_kernels() {
  // In the order of WeightFormat: F32, F16, BF16, Q4_0, Q4_1, Q8_0, Q4_K, Q6_K.
  static constexpr LinearKernels kKernels = {
      .f32 = {kDense<float, float>, kDense<F16, float>, kDense<BF16, float>},
      .bf16 = {kDense<float, BF16>, kDense<F16, BF16>, kDense<BF16, BF16>},
      .quantized = {nullptr, nullptr, nullptr, kQuantized<Q4_0Weights>, kQuantized<Q4_1Weights>,
                    kQuantized<Q8_0Weights>, kQuantized<Q4_KWeights>, kQuantized<Q6_KWeights>},
  };
  return kKernels;
}

}  // namespace invar::cpu
