// Matrix products of packed weights with AVX2: 8 outputs in a register, two registers a panel.
//
// The byte dot product of AVX2 sums two products into an i16 and saturates, so weights enter it in
// pieces small enough that no sum can reach the limit (given with each function): all sums are
// exact, for every activation from -128 to 127.
#include "kernels/cpu/linear_quantized.h"
#include "kernels/cpu/vec_avx2.h"

namespace invar::cpu {
namespace {

struct Avx2 {
  using V = VecAvx2;
  using I = VecAvx2::I;
  static constexpr int kRowsMax = 4;

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
  template <int kRows>
  [[gnu::always_inline]] static void zero_sums(I (&sums)[kRows]) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      sums[r] = V::broadcast_i32(0);
    }
  }
  template <int kRows>
  [[gnu::always_inline]] static void load_sums(const int32_t (&start)[kRows][kCorrectionGroups],
                                               int64_t i, I (&sums)[kRows]) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      sums[r] = V::broadcast_i32(start[r][i]);
    }
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
  // Pairs of products of unsigned weights with four bytes of x, as i16.
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

  // An i16 sums eight pairs: at most 8 * 2 * 15 * 128 = 30720.
  template <int kRows, int kHalf>
  [[gnu::always_inline]] static void half_nibbles(const std::byte* plane, const Q8Rows& x,
                                                  int64_t group, I (&sums)[kRows]) {
    __m256i words[kRows];
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      words[r] = _mm256_setzero_si256();
    }
#pragma GCC unroll 16
    for (int v = 0; v < 4; ++v) {
      const __m256i bytes = load(plane + 64 * v + 32 * kHalf);
      const __m256i low = low_nibbles(bytes);
      const __m256i high = high_nibbles(bytes);
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const std::byte* four = x.quants(r, group) + 4 * v;
        words[r] = _mm256_add_epi16(words[r], multiply(low, four));
        words[r] = _mm256_add_epi16(words[r], multiply(high, four + 16));
      }
    }
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      add<kHalf>(sums[r], _mm256_madd_epi16(words[r], _mm256_set1_epi16(1)));
    }
  }

  // The nibbles of the unsigned bytes apart, each as above; the high ones count sixteenfold.
  template <int kRows, int kHalf>
  [[gnu::always_inline]] static void half_bytes(const std::byte* bytes, const Q8Rows& x,
                                                int64_t group, I (&sums)[kRows]) {
    __m256i low_words[kRows];
    __m256i high_words[kRows];
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      low_words[r] = _mm256_setzero_si256();
      high_words[r] = _mm256_setzero_si256();
    }
#pragma GCC unroll 16
    for (int v = 0; v < 8; ++v) {
      const __m256i weights = load(bytes + 64 * v + 32 * kHalf);
      const __m256i low = low_nibbles(weights);
      const __m256i high = high_nibbles(weights);
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const std::byte* four = x.quants(r, group) + 4 * v;
        low_words[r] = _mm256_add_epi16(low_words[r], multiply(low, four));
        high_words[r] = _mm256_add_epi16(high_words[r], multiply(high, four));
      }
    }
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      add<kHalf>(sums[r], _mm256_madd_epi16(low_words[r], _mm256_set1_epi16(1)));
      add<kHalf>(sums[r], _mm256_madd_epi16(high_words[r], _mm256_set1_epi16(16)));
    }
  }

  // The columns of the low (kShift 0) or high (kShift 4) nibbles. An i16 sums two pairs: at most
  // 2 * 2 * 63 * 128 = 32256.
  template <int kRows, int kHalf, int kShift>
  [[gnu::always_inline]] static void half_six_bits(const std::byte* nibbles, const std::byte* pairs,
                                                   const Q8Rows& x, int64_t group,
                                                   I (&sums)[kRows]) {
    const __m256i tops = load(pairs + 16 * kShift + 32 * kHalf);
    const __m256i top[4] = {_mm256_slli_epi16(tops, 4), _mm256_slli_epi16(tops, 2), tops,
                            _mm256_srli_epi16(tops, 2)};
    __m256i weights[4];
#pragma GCC unroll 16
    for (int v = 0; v < 4; ++v) {
      const __m256i bytes = load(nibbles + 64 * v + 32 * kHalf);
      weights[v] = _mm256_or_si256(kShift == 0 ? low_nibbles(bytes) : high_nibbles(bytes),
                                   _mm256_and_si256(top[v], _mm256_set1_epi8(0x30)));
    }
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const std::byte* columns = x.quants(r, group) + 4 * kShift;
#pragma GCC unroll 16
      for (int v = 0; v < 4; v += 2) {
        const __m256i words = _mm256_add_epi16(multiply(weights[v], columns + 4 * v),
                                               multiply(weights[v + 1], columns + 4 * v + 4));
        add<kHalf>(sums[r], _mm256_madd_epi16(words, _mm256_set1_epi16(1)));
      }
    }
  }

  // --- Dot products of a panel, as portable/linear.cc defines them. ---

  template <int kRows>
  [[gnu::always_inline]] static void dot_nibbles(const std::byte* plane, const Q8Rows& x,
                                                 int64_t group, I (&sums)[kRows]) {
    half_nibbles<kRows, 0>(plane, x, group, sums);
    half_nibbles<kRows, 1>(plane, x, group, sums);
  }
  template <int kRows>
  [[gnu::always_inline]] static void dot_bytes(const std::byte* bytes, const Q8Rows& x,
                                               int64_t group, I (&sums)[kRows]) {
    half_bytes<kRows, 0>(bytes, x, group, sums);
    half_bytes<kRows, 1>(bytes, x, group, sums);
  }
  template <int kRows>
  [[gnu::always_inline]] static void dot_six_bits(const std::byte* nibbles, const std::byte* pairs,
                                                  const Q8Rows& x, int64_t group, I (&low)[kRows],
                                                  I (&high)[kRows]) {
    half_six_bits<kRows, 0, 0>(nibbles, pairs, x, group, low);
    half_six_bits<kRows, 1, 0>(nibbles, pairs, x, group, low);
    half_six_bits<kRows, 0, 4>(nibbles, pairs, x, group, high);
    half_six_bits<kRows, 1, 4>(nibbles, pairs, x, group, high);
  }
};

template <template <class> class Weights>
constexpr LinearFunction kQuantized = &run_linear<QuantizedTile<Avx2, Weights>>;

}  // namespace

const LinearKernels& avx2_linear_kernels() {
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
