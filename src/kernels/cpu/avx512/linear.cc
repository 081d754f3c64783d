// Matrix products of packed weights with AVX-512 and VNNI: 16 outputs in a register, dot products
// of four bytes a lane.
#include "kernels/cpu/linear_quantized.h"
#include "kernels/cpu/vec_avx512.h"

namespace invar::cpu {
namespace {

struct Avx512 {
  using V = VecAvx512;
  using I = VecAvx512::I;
  static constexpr int kRowsMax = 12;

  // Rows whose chains of dot products are interleaved, to hide the instruction's latency.
  static constexpr int kInterleave = 4;

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

  template <int kRows>
  [[gnu::always_inline]] static void zero_sums(I (&sums)[kRows]) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      sums[r].v = _mm512_setzero_si512();
    }
  }
  template <int kRows>
  [[gnu::always_inline]] static void load_sums(const int32_t (&start)[kRows][kCorrectionGroups],
                                               int64_t i, I (&sums)[kRows]) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      sums[r].v = _mm512_set1_epi32(start[r][i]);
    }
  }

  // Dot products as portable/linear.cc defines them; weights unsigned, activations signed.

  // sums[r] += the dot products of vectors [0, kVectors) with the row's bytes from `x_bytes` on.
  template <int kRows, int kVectors>
  [[gnu::always_inline]] static void dot(const __m512i (&weights)[kVectors], const std::byte* x,
                                         int64_t x_stride_bytes, I (&sums)[kRows]) {
#pragma GCC unroll 16
    for (int begin = 0; begin < kRows; begin += kInterleave) {
      const int end = begin + kInterleave < kRows ? begin + kInterleave : kRows;
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) {
#pragma GCC unroll 16
        for (int r = begin; r < end; ++r) {
          int32_t four;
          __builtin_memcpy(&four, x + r * x_stride_bytes + 4 * v, 4);
          sums[r].v = _mm512_dpbusd_epi32(sums[r].v, weights[v], _mm512_set1_epi32(four));
        }
      }
    }
  }

  template <int kRows>
  [[gnu::always_inline]] static void dot_nibbles(const std::byte* plane, const Q8Rows& x,
                                                 int64_t group, I (&sums)[kRows]) {
    const __m512i mask = _mm512_set1_epi8(15);
    __m512i weights[8];
#pragma GCC unroll 16
    for (int v = 0; v < 4; ++v) {
      const __m512i both = load(plane + 64 * v);
      weights[v] = _mm512_and_si512(both, mask);
      weights[v + 4] = _mm512_and_si512(_mm512_srli_epi16(both, 4), mask);
    }
    dot<kRows, 8>(weights, x.quants(0, group), x.stride_bytes, sums);
  }

  template <int kRows>
  [[gnu::always_inline]] static void dot_bytes(const std::byte* bytes, const Q8Rows& x,
                                               int64_t group, I (&sums)[kRows]) {
    __m512i weights[8];
#pragma GCC unroll 16
    for (int v = 0; v < 8; ++v) {
      weights[v] = load(bytes + 64 * v);
    }
    dot<kRows, 8>(weights, x.quants(0, group), x.stride_bytes, sums);
  }

  template <int kRows>
  [[gnu::always_inline]] static void dot_six_bits(const std::byte* nibbles, const std::byte* pairs,
                                                  const Q8Rows& x, int64_t group, I (&low)[kRows],
                                                  I (&high)[kRows]) {
    half_six_bits<kRows, 0>(nibbles, load(pairs), x.quants(0, group), x.stride_bytes, low);
    half_six_bits<kRows, 4>(nibbles, load(pairs + 64), x.quants(0, group) + 16, x.stride_bytes,
                            high);
  }

  // The columns of the low (kShift 0) or high (kShift 4) nibbles.
  template <int kRows, int kShift>
  [[gnu::always_inline]] static void half_six_bits(const std::byte* nibbles, __m512i pairs,
                                                   const std::byte* x, int64_t x_stride_bytes,
                                                   I (&sums)[kRows]) {
    const __m512i nibble_mask = _mm512_set1_epi8(15);
    const __m512i pair_mask = _mm512_set1_epi8(0x30);
    const __m512i tops[4] = {_mm512_slli_epi16(pairs, 4), _mm512_slli_epi16(pairs, 2), pairs,
                             _mm512_srli_epi16(pairs, 2)};
    __m512i weights[4];
#pragma GCC unroll 16
    for (int v = 0; v < 4; ++v) {
      const __m512i low =
          _mm512_and_si512(_mm512_srli_epi16(load(nibbles + 64 * v), kShift), nibble_mask);
      // low | (top & mask)
      weights[v] = _mm512_ternarylogic_epi32(low, tops[v], pair_mask, 0xf8);
    }
    dot<kRows, 4>(weights, x, x_stride_bytes, sums);
  }
};

template <template <class> class Weights>
constexpr LinearFunction kQuantized = &run_linear<QuantizedTile<Avx512, Weights>>;

}  // namespace

const LinearKernels& avx512_linear_kernels() {
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
