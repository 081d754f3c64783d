// 16 float lanes as one AVX-512 register. The meaning of every operation is written in
// vec_portable.h; include this header from kernels/cpu/avx512/ only.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "kernels/cpu/element.h"

namespace invar::cpu {

struct VecAvx512 {
  static constexpr int kLanes = 16;
  static constexpr const char* kName = "avx512";
  static constexpr int kAccumulators = 16;  // of 32 registers

  struct F {
    __m512 v;
  };
  struct I {
    __m512i v;
  };
  struct M {
    __mmask16 v;
  };

  // --- Loads and stores. ---

  [[gnu::always_inline]] static F zero() { return {_mm512_setzero_ps()}; }
  [[gnu::always_inline]] static F broadcast(float value) { return {_mm512_set1_ps(value)}; }
  [[gnu::always_inline]] static F load(const float* p) { return {_mm512_loadu_ps(p)}; }
  [[gnu::always_inline]] static F load(const BF16* p) {
    return widen_bf16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  [[gnu::always_inline]] static F load(const F16* p) {
    return {_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
  }
  [[gnu::always_inline]] static F load_partial(const float* p, int count) {
    return {_mm512_maskz_loadu_ps(first(count).v, p)};
  }
  [[gnu::always_inline]] static F load_partial(const BF16* p, int count) {
    return widen_bf16(_mm256_maskz_loadu_epi16(first(count).v, p));
  }
  [[gnu::always_inline]] static F load_partial(const F16* p, int count) {
    return {_mm512_cvtph_ps(_mm256_maskz_loadu_epi16(first(count).v, p))};
  }
  [[gnu::always_inline]] static void store(float* p, F a) { _mm512_storeu_ps(p, a.v); }
  [[gnu::always_inline]] static void store(BF16* p, F a) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), narrow_bf16(a));
  }
  [[gnu::always_inline]] static void store(F16* p, F a) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), narrow_f16(a));
  }
  [[gnu::always_inline]] static void store_partial(float* p, F a, int count) {
    _mm512_mask_storeu_ps(p, first(count).v, a.v);
  }
  [[gnu::always_inline]] static void store_partial(BF16* p, F a, int count) {
    _mm256_mask_storeu_epi16(p, first(count).v, narrow_bf16(a));
  }
  [[gnu::always_inline]] static void store_partial(F16* p, F a, int count) {
    _mm256_mask_storeu_epi16(p, first(count).v, narrow_f16(a));
  }

  // --- Arithmetic. ---

  [[gnu::always_inline]] static F add(F a, F b) { return {_mm512_add_ps(a.v, b.v)}; }
  [[gnu::always_inline]] static F sub(F a, F b) { return {_mm512_sub_ps(a.v, b.v)}; }
  [[gnu::always_inline]] static F mul(F a, F b) { return {_mm512_mul_ps(a.v, b.v)}; }
  [[gnu::always_inline]] static F div(F a, F b) { return {_mm512_div_ps(a.v, b.v)}; }
  [[gnu::always_inline]] static F fma(F a, F b, F c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
  [[gnu::always_inline]] static F sqrt(F a) { return {_mm512_sqrt_ps(a.v)}; }
  [[gnu::always_inline]] static F max(F a, F b) { return {_mm512_max_ps(a.v, b.v)}; }
  [[gnu::always_inline]] static F abs(F a) { return {_mm512_abs_ps(a.v)}; }

  // --- Comparison and choice. ---

  [[gnu::always_inline]] static M less(F a, F b) {
    return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_LT_OQ)};
  }
  [[gnu::always_inline]] static M is_nan(F a) {
    return {_mm512_cmp_ps_mask(a.v, a.v, _CMP_UNORD_Q)};
  }
  [[gnu::always_inline]] static M first(int count) {
    return {static_cast<__mmask16>((1u << count) - 1u)};
  }
  [[gnu::always_inline]] static F select(M where, F yes, F no) {
    return {_mm512_mask_blend_ps(where.v, no.v, yes.v)};
  }

  // --- Reductions: lane j with lane j + 8, then j + 4, j + 2, j + 1. ---

  [[gnu::always_inline]] static float reduce_sum(F a) {
    const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(a.v), upper(a.v));
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
  }
  [[gnu::always_inline]] static float reduce_max(F a) {
    const __m256 eight = _mm256_max_ps(_mm512_castps512_ps256(a.v), upper(a.v));
    const __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
  }

  // --- 32-bit integers. ---

  [[gnu::always_inline]] static I broadcast_i32(int32_t value) {
    return {_mm512_set1_epi32(value)};
  }
  [[gnu::always_inline]] static I load_i32(const int32_t* p) { return {_mm512_loadu_si512(p)}; }
  [[gnu::always_inline]] static void store_i32(int32_t* p, I a) { _mm512_storeu_si512(p, a.v); }
  [[gnu::always_inline]] static I bits(F a) { return {_mm512_castps_si512(a.v)}; }
  [[gnu::always_inline]] static F from_bits(I a) { return {_mm512_castsi512_ps(a.v)}; }
  [[gnu::always_inline]] static I add_i32(I a, I b) { return {_mm512_add_epi32(a.v, b.v)}; }
  [[gnu::always_inline]] static I mul_i32(I a, I b) { return {_mm512_mullo_epi32(a.v, b.v)}; }
  [[gnu::always_inline]] static I max_i32(I a, I b) { return {_mm512_max_epi32(a.v, b.v)}; }
  template <int kBits>
  [[gnu::always_inline]] static I shift_left(I a) {
    return {_mm512_slli_epi32(a.v, kBits)};
  }
  [[gnu::always_inline]] static I round_to_i32(F a) { return {_mm512_cvtps_epi32(a.v)}; }
  [[gnu::always_inline]] static F to_float(I a) { return {_mm512_cvtepi32_ps(a.v)}; }
  [[gnu::always_inline]] static void store_i8(int8_t* p, I a) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtsepi32_epi8(a.v));
  }
  [[gnu::always_inline]] static int32_t reduce_sum_i32(I a) {
    const __m256i eight =
        _mm256_add_epi32(_mm512_castsi512_si256(a.v), _mm512_extracti32x8_epi32(a.v, 1));
    const __m128i four =
        _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
    const __m128i two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
    return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 1)));
  }
  [[gnu::always_inline]] static int32_t reduce_max_i32(I a) {
    const __m256i eight =
        _mm256_max_epi32(_mm512_castsi512_si256(a.v), _mm512_extracti32x8_epi32(a.v, 1));
    const __m128i four =
        _mm_max_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
    const __m128i two = _mm_max_epi32(four, _mm_unpackhi_epi64(four, four));
    return _mm_cvtsi128_si32(_mm_max_epi32(two, _mm_shuffle_epi32(two, 1)));
  }

 private:
  [[gnu::always_inline]] static __m256 upper(__m512 a) { return _mm512_extractf32x8_ps(a, 1); }

  [[gnu::always_inline]] static F widen_bf16(__m256i halves) {
    return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16))};
  }
  // Not the conversion instruction: that one flushes subnormals to zero.
  [[gnu::always_inline]] static __m256i narrow_bf16(F a) {
    const __m512i word = _mm512_castps_si512(a.v);
    const __m512i upper_half = _mm512_srli_epi32(word, 16);
    const __m512i odd = _mm512_and_si512(upper_half, _mm512_set1_epi32(1));
    const __m512i rounded = _mm512_srli_epi32(
        _mm512_add_epi32(word, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff))), 16);
    const __m512i nan = _mm512_or_si512(upper_half, _mm512_set1_epi32(0x40));
    return _mm512_cvtepi32_epi16(_mm512_mask_blend_epi32(is_nan(a).v, rounded, nan));
  }
  [[gnu::always_inline]] static __m256i narrow_f16(F a) {
    return _mm512_cvtps_ph(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
};

}  // namespace invar::cpu
