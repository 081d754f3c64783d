// Matrix products of packed weights with AVX2: 8 outputs in a register, two registers a panel.
//
// The byte dot product of AVX2 sums two products into an i16 and saturates, so weights enter it in
// pieces small enough that no sum can reach the limit (given with each function): all sums are
// exact, for every activation from -128 to 127.
#include "kernels/cpu/linear_list.h"
#include "kernels/cpu/vec_avx2.h"

namespace invar::cpu {
namespace {

struct Avx2 {
  using V = VecAvx2;
  using I = VecAvx2::I;
  // Tiles whose sums fit the 16 registers; the weights of a group stay in memory.
  static constexpr int kRowsMax = 4;
  static constexpr int kPanelsMax = 1;
  static constexpr int kDenseRowsMax = 6;
  static constexpr int kDensePanelsMax = 1;

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
  // The E2M1 value of each lane's lowest nibble: its size by the low three bits, its sign the
  // fourth.
  [[gnu::always_inline]] static V::F e2m1(I words) { return {e2m1(words.low), e2m1(words.high)}; }
  [[gnu::always_inline]] static __m256 e2m1(__m256i words) {
    const __m256 sizes = _mm256_setr_ps(0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f);
    const __m256i sign = _mm256_and_si256(_mm256_slli_epi32(words, 28),
                                          _mm256_set1_epi32(static_cast<int>(0x80000000u)));
    return _mm256_or_ps(_mm256_permutevar8x32_ps(sizes, words), _mm256_castsi256_ps(sign));
  }
  [[gnu::always_inline]] static I next_nibble(I words) {
    return {_mm256_srli_epi32(words.low, 4), _mm256_srli_epi32(words.high, 4)};
  }

  // --- Pieces of dot products. A panel is two halves of 8 lanes. ---

  using Words = __m256i[2];  // i16 sums of a row, by half
  using Pair = __m256i[2];   // weights of four columns, by half

  // words += pairs of products of unsigned weights with four columns of x.
  [[gnu::always_inline]] static void multiply_add(const Pair& weights, const std::byte* x,
                                                  Words& words) {
    int32_t four;
    __builtin_memcpy(&four, x, 4);
    const __m256i all = _mm256_set1_epi32(four);
    words[0] = _mm256_add_epi16(words[0], _mm256_maddubs_epi16(weights[0], all));
    words[1] = _mm256_add_epi16(words[1], _mm256_maddubs_epi16(weights[1], all));
  }
  // sum += factor * words, both i16 of a lane together.
  [[gnu::always_inline]] static void widen_add(const Words& words, short factor, I& sum) {
    const __m256i factors = _mm256_set1_epi16(factor);
    sum.low = _mm256_add_epi32(sum.low, _mm256_madd_epi16(words[0], factors));
    sum.high = _mm256_add_epi32(sum.high, _mm256_madd_epi16(words[1], factors));
  }
  [[gnu::always_inline]] static __m256i low_nibbles(__m256i bytes) {
    return _mm256_and_si256(bytes, _mm256_set1_epi8(15));
  }
  [[gnu::always_inline]] static __m256i high_nibbles(__m256i bytes) {
    return _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(15));
  }
  template <int kRows>
  [[gnu::always_inline]] static void clear(Words (&words)[kRows]) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      words[r][0] = _mm256_setzero_si256();
      words[r][1] = _mm256_setzero_si256();
    }
  }

  // --- Dot products as portable/linear.cc defines them. Their loops over columns stay loops:
  // unrolled, the compiler would compute all products first and spill them. ---

  // An i16 sums eight pairs: at most 8 * 2 * 15 * 128 = 30720.
  struct Nibbles {
    template <int kRows>
    [[gnu::always_inline]] static void dot(const std::byte* const (&planes)[1], const Q8Group& x,
                                           I (&sums)[1][kRows]) {
      Words words[kRows];
      clear(words);
#pragma GCC unroll 1
      for (int v = 0; v < 4; ++v) {
        const Pair both = {load(planes[0] + 64 * v), load(planes[0] + 64 * v + 32)};
        const Pair low = {low_nibbles(both[0]), low_nibbles(both[1])};
        const Pair high = {high_nibbles(both[0]), high_nibbles(both[1])};
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) {
          multiply_add(low, x.row(r) + 4 * v, words[r]);
          multiply_add(high, x.row(r) + 4 * v + 16, words[r]);
        }
      }
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        widen_add(words[r], 1, sums[0][r]);
      }
    }
  };

  // An i16 sums four pairs: at most 4 * 2 * 31 * 128 = 31744.
  struct FiveBits {
    template <int kRows>
    [[gnu::always_inline]] static void dot(const std::byte* const (&planes)[1], const Q8Group& x,
                                           I (&sums)[1][kRows]) {
      const std::byte* tops = planes[0] + panel::kNibblePlaneBytes;
#pragma GCC unroll 1
      for (int begin = 0; begin < 4; begin += 2) {
        Words words[kRows];
        clear(words);
#pragma GCC unroll 1
        for (int v = begin; v < begin + 2; ++v) {
          const Pair both = {load(planes[0] + 64 * v), load(planes[0] + 64 * v + 32)};
          const Pair bits = {_mm256_srli_epi16(load(tops), v),
                             _mm256_srli_epi16(load(tops + 32), v)};
          const Pair low = {join(low_nibbles(both[0]), _mm256_slli_epi16(bits[0], 4)),
                            join(low_nibbles(both[1]), _mm256_slli_epi16(bits[1], 4))};
          const Pair high = {join(high_nibbles(both[0]), bits[0]),
                             join(high_nibbles(both[1]), bits[1])};
#pragma GCC unroll 16
          for (int r = 0; r < kRows; ++r) {
            multiply_add(low, x.row(r) + 4 * v, words[r]);
            multiply_add(high, x.row(r) + 4 * v + 16, words[r]);
          }
        }
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) {
          widen_add(words[r], 1, sums[0][r]);
        }
      }
    }
    [[gnu::always_inline]] static __m256i join(__m256i nibbles, __m256i bits) {
      return _mm256_or_si256(nibbles, _mm256_and_si256(bits, _mm256_set1_epi8(16)));
    }
  };

  // The nibbles of the unsigned bytes apart, each as above; the high ones count sixteenfold.
  struct Bytes {
    template <int kRows>
    [[gnu::always_inline]] static void dot(const std::byte* const (&bytes)[1], const Q8Group& x,
                                           I (&sums)[1][kRows]) {
      add_nibbles<0>(bytes[0], x, sums[0]);
      add_nibbles<4>(bytes[0], x, sums[0]);
    }
    template <int kShift, int kRows>
    [[gnu::always_inline]] static void add_nibbles(const std::byte* bytes, const Q8Group& x,
                                                   I (&sums)[kRows]) {
      Words words[kRows];
      clear(words);
#pragma GCC unroll 1
      for (int v = 0; v < 8; ++v) {
        const Pair both = {load(bytes + 64 * v), load(bytes + 64 * v + 32)};
        const Pair nibbles = {kShift == 0 ? low_nibbles(both[0]) : high_nibbles(both[0]),
                              kShift == 0 ? low_nibbles(both[1]) : high_nibbles(both[1])};
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) {
          multiply_add(nibbles, x.row(r) + 4 * v, words[r]);
        }
      }
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        widen_add(words[r], 1 << kShift, sums[r]);
      }
    }
  };

  // An i16 sums two pairs: at most 2 * 2 * 63 * 128 = 32256.
  struct SixBits {
    template <int kRows>
    [[gnu::always_inline]] static void dot_low(const std::byte* const (&quants)[1],
                                               const Q8Group& x, I (&sums)[1][kRows]) {
      dot_half<0>(quants[0], x, sums[0]);
    }
    template <int kRows>
    [[gnu::always_inline]] static void dot_high(const std::byte* const (&quants)[1],
                                                const Q8Group& x, I (&sums)[1][kRows]) {
      dot_half<1>(quants[0], x, sums[0]);
    }
    // The 16 columns of the low (kHigh 0) or high (1) nibbles.
    template <int kHigh, int kRows>
    [[gnu::always_inline]] static void dot_half(const std::byte* quants, const Q8Group& x,
                                                I (&sums)[kRows]) {
      const std::byte* pairs = quants + panel::Q6_K::kPairPlane + 64 * kHigh;
#pragma GCC unroll 1
      for (int v = 0; v < 4; v += 2) {
        Words words[kRows];
        clear(words);
#pragma GCC unroll 2
        for (int i = v; i < v + 2; ++i) {
          const Pair weights = {join<kHigh>(load(quants + 64 * i), load(pairs), i),
                                join<kHigh>(load(quants + 64 * i + 32), load(pairs + 32), i)};
#pragma GCC unroll 16
          for (int r = 0; r < kRows; ++r) {
            multiply_add(weights, x.row(r) + 16 * kHigh + 4 * i, words[r]);
          }
        }
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) {
          widen_add(words[r], 1, sums[r]);
        }
      }
    }
    // Nibbles, and bit pair `v` of each byte of `pairs` above them.
    template <int kHigh>
    [[gnu::always_inline]] static __m256i join(__m256i nibbles, __m256i pairs, int v) {
      const __m256i top = _mm256_and_si256(_mm256_srli_epi16(pairs, 2 * v), _mm256_set1_epi8(3));
      return _mm256_or_si256(kHigh == 0 ? low_nibbles(nibbles) : high_nibbles(nibbles),
                             _mm256_slli_epi16(top, 4));
    }
  };
};

}  // namespace

const LinearKernels& avx2_linear_kernels() {
  static constexpr LinearKernels kKernels = list_linear_kernels<Avx2>();
  return kKernels;
}

}  // namespace invar::cpu
