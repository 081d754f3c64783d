// 16 float lanes as two AVX2 registers: lanes 0..7 in `low`, 8..15 in `high`. The meaning of every
// operation is written in vec_portable.h; include this header from kernels/cpu/avx2/ only.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "kernels/cpu/element.h"

namespace invar::cpu {

struct VecAvx2 {
  static constexpr int kLanes = 16;
  static constexpr const char* kName = "avx2";
  static constexpr int kAccumulators = 4;  // 8 of 16 registers

  struct F {
    __m256 low;
    __m256 high;
  };
  struct I {
    __m256i low;
    __m256i high;
  };
  struct M {
    __m256 low;  // all bits of a lane set or none
    __m256 high;
  };

  // --- Loads and stores. ---

  [[gnu::always_inline]] static F zero() { return broadcast(0.0f); }
  [[gnu::always_inline]] static F broadcast(float value) {
    const __m256 all = _mm256_set1_ps(value);
    return {all, all};
  }
  [[gnu::always_inline]] static F load(const float* p) {
    return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)};
  }
  [[gnu::always_inline]] static F load(const BF16* p) {
    const auto* source = reinterpret_cast<const __m128i*>(p);
    return {widen_bf16(_mm_loadu_si128(source)), widen_bf16(_mm_loadu_si128(source + 1))};
  }
  [[gnu::always_inline]] static F load(const F16* p) {
    const auto* source = reinterpret_cast<const __m128i*>(p);
    return {_mm256_cvtph_ps(_mm_loadu_si128(source)), _mm256_cvtph_ps(_mm_loadu_si128(source + 1))};
  }
  [[gnu::always_inline]] static F load_partial(const float* p, int count) {
    const M used = first(count);
    return {_mm256_maskload_ps(p, _mm256_castps_si256(used.low)),
            _mm256_maskload_ps(p + 8, _mm256_castps_si256(used.high))};
  }
  [[gnu::always_inline]] static F load_partial(const BF16* p, int count) {
    BF16 copy[kLanes] = {};
    copy_elements(copy, p, count);
    return load(copy);
  }
  [[gnu::always_inline]] static F load_partial(const F16* p, int count) {
    F16 copy[kLanes] = {};
    copy_elements(copy, p, count);
    return load(copy);
  }
  [[gnu::always_inline]] static void store(float* p, F a) {
    _mm256_storeu_ps(p, a.low);
    _mm256_storeu_ps(p + 8, a.high);
  }
  [[gnu::always_inline]] static void store(BF16* p, F a) {
    // The pack works within 128-bit halves; the permutation puts the quarters in order.
    const __m256i packed = _mm256_packus_epi32(narrow_bf16(a.low), narrow_bf16(a.high));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm256_permute4x64_epi64(packed, 0xd8));
  }
  [[gnu::always_inline]] static void store(F16* p, F a) {
    auto* target = reinterpret_cast<__m128i*>(p);
    _mm_storeu_si128(target, narrow_f16(a.low));
    _mm_storeu_si128(target + 1, narrow_f16(a.high));
  }
  [[gnu::always_inline]] static void store_partial(float* p, F a, int count) {
    const M used = first(count);
    _mm256_maskstore_ps(p, _mm256_castps_si256(used.low), a.low);
    _mm256_maskstore_ps(p + 8, _mm256_castps_si256(used.high), a.high);
  }
  [[gnu::always_inline]] static void store_partial(BF16* p, F a, int count) {
    BF16 copy[kLanes];
    store(copy, a);
    copy_elements(p, copy, count);
  }
  [[gnu::always_inline]] static void store_partial(F16* p, F a, int count) {
    F16 copy[kLanes];
    store(copy, a);
    copy_elements(p, copy, count);
  }

  // --- Arithmetic. ---

  [[gnu::always_inline]] static F add(F a, F b) {
    return {_mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high)};
  }
  [[gnu::always_inline]] static F sub(F a, F b) {
    return {_mm256_sub_ps(a.low, b.low), _mm256_sub_ps(a.high, b.high)};
  }
  [[gnu::always_inline]] static F mul(F a, F b) {
    return {_mm256_mul_ps(a.low, b.low), _mm256_mul_ps(a.high, b.high)};
  }
  [[gnu::always_inline]] static F div(F a, F b) {
    return {_mm256_div_ps(a.low, b.low), _mm256_div_ps(a.high, b.high)};
  }
  [[gnu::always_inline]] static F fma(F a, F b, F c) {
    return {_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)};
  }
  [[gnu::always_inline]] static F sqrt(F a) {
    return {_mm256_sqrt_ps(a.low), _mm256_sqrt_ps(a.high)};
  }
  [[gnu::always_inline]] static F max(F a, F b) {
    return {_mm256_max_ps(a.low, b.low), _mm256_max_ps(a.high, b.high)};
  }
  [[gnu::always_inline]] static F abs(F a) {
    const __m256 sign = _mm256_set1_ps(-0.0f);
    return {_mm256_andnot_ps(sign, a.low), _mm256_andnot_ps(sign, a.high)};
  }

  // --- Comparison and choice. ---

  [[gnu::always_inline]] static M less(F a, F b) {
    return {_mm256_cmp_ps(a.low, b.low, _CMP_LT_OQ), _mm256_cmp_ps(a.high, b.high, _CMP_LT_OQ)};
  }
  [[gnu::always_inline]] static M is_nan(F a) { return {nan_lanes(a.low), nan_lanes(a.high)}; }
  [[gnu::always_inline]] static M first(int count) {
    const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return {_mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_set1_epi32(count), index)),
            _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_set1_epi32(count - 8), index))};
  }
  [[gnu::always_inline]] static F select(M where, F yes, F no) {
    return {_mm256_blendv_ps(no.low, yes.low, where.low),
            _mm256_blendv_ps(no.high, yes.high, where.high)};
  }

  // --- Reductions: lane j with lane j + 8, then j + 4, j + 2, j + 1. ---

  [[gnu::always_inline]] static float reduce_sum(F a) {
    const __m256 eight = _mm256_add_ps(a.low, a.high);
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
  }
  [[gnu::always_inline]] static float reduce_max(F a) {
    const __m256 eight = _mm256_max_ps(a.low, a.high);
    const __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
  }

  // --- 32-bit integers. ---

  [[gnu::always_inline]] static I broadcast_i32(int32_t value) {
    const __m256i all = _mm256_set1_epi32(value);
    return {all, all};
  }
  [[gnu::always_inline]] static I load_i32(const int32_t* p) {
    const auto* source = reinterpret_cast<const __m256i*>(p);
    return {_mm256_loadu_si256(source), _mm256_loadu_si256(source + 1)};
  }
  [[gnu::always_inline]] static void store_i32(int32_t* p, I a) {
    auto* target = reinterpret_cast<__m256i*>(p);
    _mm256_storeu_si256(target, a.low);
    _mm256_storeu_si256(target + 1, a.high);
  }
  [[gnu::always_inline]] static I bits(F a) {
    return {_mm256_castps_si256(a.low), _mm256_castps_si256(a.high)};
  }
  [[gnu::always_inline]] static F from_bits(I a) {
    return {_mm256_castsi256_ps(a.low), _mm256_castsi256_ps(a.high)};
  }
  [[gnu::always_inline]] static I add_i32(I a, I b) {
    return {_mm256_add_epi32(a.low, b.low), _mm256_add_epi32(a.high, b.high)};
  }
  [[gnu::always_inline]] static I mul_i32(I a, I b) {
    return {_mm256_mullo_epi32(a.low, b.low), _mm256_mullo_epi32(a.high, b.high)};
  }
  [[gnu::always_inline]] static I max_i32(I a, I b) {
    return {_mm256_max_epi32(a.low, b.low), _mm256_max_epi32(a.high, b.high)};
  }
  template <int kBits>
  [[gnu::always_inline]] static I shift_left(I a) {
    return {_mm256_slli_epi32(a.low, kBits), _mm256_slli_epi32(a.high, kBits)};
  }
  [[gnu::always_inline]] static I round_to_i32(F a) {
    return {_mm256_cvtps_epi32(a.low), _mm256_cvtps_epi32(a.high)};
  }
  [[gnu::always_inline]] static F to_float(I a) {
    return {_mm256_cvtepi32_ps(a.low), _mm256_cvtepi32_ps(a.high)};
  }
  [[gnu::always_inline]] static void store_i8(int8_t* p, I a) {
    const __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32(a.low, a.high), 0xd8);
    const __m128i bytes =
        _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), bytes);
  }
  [[gnu::always_inline]] static int32_t reduce_sum_i32(I a) {
    const __m256i eight = _mm256_add_epi32(a.low, a.high);
    const __m128i four =
        _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
    const __m128i two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
    return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 1)));
  }
  [[gnu::always_inline]] static int32_t reduce_max_i32(I a) {
    const __m256i eight = _mm256_max_epi32(a.low, a.high);
    const __m128i four =
        _mm_max_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
    const __m128i two = _mm_max_epi32(four, _mm_unpackhi_epi64(four, four));
    return _mm_cvtsi128_si32(_mm_max_epi32(two, _mm_shuffle_epi32(two, 1)));
  }

 private:
  template <class T>
  [[gnu::always_inline]] static void copy_elements(T* target, const T* source, int count) {
    for (int i = 0; i < count; ++i) {
      target[i] = source[i];
    }
  }
  [[gnu::always_inline]] static __m256 nan_lanes(__m256 a) {
    return _mm256_cmp_ps(a, a, _CMP_UNORD_Q);
  }
  [[gnu::always_inline]] static __m256 widen_bf16(__m128i halves) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16));
  }
  // Each result in the low half of its 32-bit lane.
  [[gnu::always_inline]] static __m256i narrow_bf16(__m256 a) {
    const __m256i word = _mm256_castps_si256(a);
    const __m256i upper_half = _mm256_srli_epi32(word, 16);
    const __m256i odd = _mm256_and_si256(upper_half, _mm256_set1_epi32(1));
    const __m256i rounded = _mm256_srli_epi32(
        _mm256_add_epi32(word, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff))), 16);
    const __m256i nan = _mm256_or_si256(upper_half, _mm256_set1_epi32(0x40));
    return _mm256_blendv_epi8(rounded, nan, _mm256_castps_si256(nan_lanes(a)));
  }
  [[gnu::always_inline]] static __m128i narrow_f16(__m256 a) {
    return _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
};

}  // namespace invar::cpu
