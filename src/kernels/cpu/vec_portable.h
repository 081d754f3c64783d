// 16 float lanes in plain C++: the vector type that runs everywhere, and the written meaning of
// every operation of VecAvx2 and VecAvx512, which give the same bits.
//
// Rules for all vec_*.h: a vector type is a struct of always_inline static functions and is
// included by one folder of kernels only, so that no function compiled with an instruction set's
// flags can be merged by the linker into other code. For the same reason nothing here may call an
// inline function or template of the standard library. `count` is the number of lanes in use,
// 0..16; partial loads give zero in the other lanes, partial stores leave their memory alone.
#pragma once

#include <cstdint>

#include "kernels/cpu/element.h"

namespace invar::cpu {

struct VecPortable {
  static constexpr int kLanes = 16;
  static constexpr const char* kName = "portable";
  // How many F a kernel may hold as accumulators without spilling registers.
  static constexpr int kAccumulators = 4;

  struct F {
    float lane[kLanes];
  };
  struct I {
    int32_t lane[kLanes];
  };
  struct M {
    bool lane[kLanes];
  };

  // --- Loads and stores; addresses need the alignment of the element only. ---

  [[gnu::always_inline]] static F zero() { return broadcast(0.0f); }
  [[gnu::always_inline]] static F broadcast(float value) {
    return each([&](int) { return value; });
  }
  [[gnu::always_inline]] static F load(const float* p) {
    return each([&](int i) { return p[i]; });
  }
  [[gnu::always_inline]] static F load(const BF16* p) {
    return each([&](int i) { return widen(p[i]); });
  }
  [[gnu::always_inline]] static F load(const F16* p) {
    return each([&](int i) { return widen(p[i]); });
  }
  [[gnu::always_inline]] static F load_partial(const float* p, int count) {
    return each([&](int i) { return i < count ? p[i] : 0.0f; });
  }
  [[gnu::always_inline]] static F load_partial(const BF16* p, int count) {
    return each([&](int i) { return i < count ? widen(p[i]) : 0.0f; });
  }
  [[gnu::always_inline]] static F load_partial(const F16* p, int count) {
    return each([&](int i) { return i < count ? widen(p[i]) : 0.0f; });
  }
  template <class T>
  [[gnu::always_inline]] static void store(T* p, F a) {
    store_partial(p, a, kLanes);
  }
  [[gnu::always_inline]] static void store_partial(float* p, F a, int count) {
    for (int i = 0; i < count; ++i) {
      p[i] = a.lane[i];
    }
  }
  // To nearest even; NaN stays a quiet NaN.
  [[gnu::always_inline]] static void store_partial(BF16* p, F a, int count) {
    for (int i = 0; i < count; ++i) {
      p[i] = narrow_bf16(a.lane[i]);
    }
  }
  [[gnu::always_inline]] static void store_partial(F16* p, F a, int count) {
    for (int i = 0; i < count; ++i) {
      p[i] = narrow_f16(a.lane[i]);
    }
  }

  // --- Arithmetic; every operation is correctly rounded. ---

  [[gnu::always_inline]] static F add(F a, F b) {
    return each([&](int i) { return a.lane[i] + b.lane[i]; });
  }
  [[gnu::always_inline]] static F sub(F a, F b) {
    return each([&](int i) { return a.lane[i] - b.lane[i]; });
  }
  [[gnu::always_inline]] static F mul(F a, F b) {
    return each([&](int i) { return a.lane[i] * b.lane[i]; });
  }
  [[gnu::always_inline]] static F div(F a, F b) {
    return each([&](int i) { return a.lane[i] / b.lane[i]; });
  }
  // a * b + c, rounded once.
  [[gnu::always_inline]] static F fma(F a, F b, F c) {
    return each([&](int i) { return __builtin_fmaf(a.lane[i], b.lane[i], c.lane[i]); });
  }
  [[gnu::always_inline]] static F sqrt(F a) {
    return each([&](int i) { return __builtin_sqrtf(a.lane[i]); });
  }
  // a where a > b, else b (so b if either is NaN).
  [[gnu::always_inline]] static F max(F a, F b) {
    return each([&](int i) { return a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]; });
  }
  [[gnu::always_inline]] static F abs(F a) {
    return each([&](int i) { return __builtin_fabsf(a.lane[i]); });
  }

  // --- Comparison and choice. ---

  [[gnu::always_inline]] static M less(F a, F b) {
    M out;
    for (int i = 0; i < kLanes; ++i) {
      out.lane[i] = a.lane[i] < b.lane[i];
    }
    return out;
  }
  [[gnu::always_inline]] static M is_nan(F a) {
    M out;
    for (int i = 0; i < kLanes; ++i) {
      out.lane[i] = a.lane[i] != a.lane[i];
    }
    return out;
  }
  // The lanes [0, count).
  [[gnu::always_inline]] static M first(int count) {
    M out;
    for (int i = 0; i < kLanes; ++i) {
      out.lane[i] = i < count;
    }
    return out;
  }
  [[gnu::always_inline]] static F select(M where, F yes, F no) {
    return each([&](int i) { return where.lane[i] ? yes.lane[i] : no.lane[i]; });
  }

  // --- Reductions: lane j with lane j + 8, then j + 4, j + 2, j + 1. ---

  [[gnu::always_inline]] static float reduce_sum(F a) {
    for (int half = kLanes / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) {
        a.lane[i] = a.lane[i] + a.lane[i + half];
      }
    }
    return a.lane[0];
  }
  [[gnu::always_inline]] static float reduce_max(F a) {
    for (int half = kLanes / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) {
        a.lane[i] = a.lane[i] > a.lane[i + half] ? a.lane[i] : a.lane[i + half];
      }
    }
    return a.lane[0];
  }

  // --- 32-bit integers. ---

  [[gnu::always_inline]] static I broadcast_i32(int32_t value) {
    return each_i32([&](int) { return value; });
  }
  [[gnu::always_inline]] static I load_i32(const int32_t* p) {
    return each_i32([&](int i) { return p[i]; });
  }
  [[gnu::always_inline]] static void store_i32(int32_t* p, I a) {
    for (int i = 0; i < kLanes; ++i) {
      p[i] = a.lane[i];
    }
  }
  [[gnu::always_inline]] static I bits(F a) {
    return each_i32([&](int i) { return __builtin_bit_cast(int32_t, a.lane[i]); });
  }
  [[gnu::always_inline]] static F from_bits(I a) {
    return each([&](int i) { return __builtin_bit_cast(float, a.lane[i]); });
  }
  // Wraps, as all integer operations here.
  [[gnu::always_inline]] static I add_i32(I a, I b) {
    return each_i32([&](int i) {
      return static_cast<int32_t>(static_cast<uint32_t>(a.lane[i]) +
                                  static_cast<uint32_t>(b.lane[i]));
    });
  }
  [[gnu::always_inline]] static I mul_i32(I a, I b) {
    return each_i32([&](int i) {
      return static_cast<int32_t>(static_cast<uint32_t>(a.lane[i]) *
                                  static_cast<uint32_t>(b.lane[i]));
    });
  }
  [[gnu::always_inline]] static I max_i32(I a, I b) {
    return each_i32([&](int i) { return a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]; });
  }
  template <int kBits>
  [[gnu::always_inline]] static I shift_left(I a) {
    return each_i32(
        [&](int i) { return static_cast<int32_t>(static_cast<uint32_t>(a.lane[i]) << kBits); });
  }
  // To nearest even; -2^31 for NaN and for values outside the range of int32.
  [[gnu::always_inline]] static I round_to_i32(F a) {
    return each_i32([&](int i) {
      const float size = __builtin_fabsf(a.lane[i]);
      if (!(size < 0x1p31f)) {
        return INT32_MIN;
      }
      // Adding 2^23 leaves no fraction bits, and rounds as every addition does.
      const float whole = size < 0x1p23f ? (size + 0x1p23f) - 0x1p23f : size;
      return static_cast<int32_t>(a.lane[i] < 0.0f ? -whole : whole);
    });
  }
  // To nearest even.
  [[gnu::always_inline]] static F to_float(I a) {
    return each([&](int i) { return static_cast<float>(a.lane[i]); });
  }
  // Clamped to [-128, 127].
  [[gnu::always_inline]] static void store_i8(int8_t* p, I a) {
    for (int i = 0; i < kLanes; ++i) {
      const int32_t low = a.lane[i] < -128 ? -128 : a.lane[i];
      p[i] = static_cast<int8_t>(low > 127 ? 127 : low);
    }
  }
  [[gnu::always_inline]] static int32_t reduce_sum_i32(I a) {
    uint32_t sum = 0;
    for (int i = 0; i < kLanes; ++i) {
      sum += static_cast<uint32_t>(a.lane[i]);
    }
    return static_cast<int32_t>(sum);
  }
  [[gnu::always_inline]] static int32_t reduce_max_i32(I a) {
    int32_t largest = a.lane[0];
    for (int i = 1; i < kLanes; ++i) {
      largest = a.lane[i] > largest ? a.lane[i] : largest;
    }
    return largest;
  }

 private:
  template <class Function>
  [[gnu::always_inline]] static F each(Function function) {
    F out;
    for (int i = 0; i < kLanes; ++i) {
      out.lane[i] = function(i);
    }
    return out;
  }
  template <class Function>
  [[gnu::always_inline]] static I each_i32(Function function) {
    I out;
    for (int i = 0; i < kLanes; ++i) {
      out.lane[i] = function(i);
    }
    return out;
  }

  [[gnu::always_inline]] static float widen(BF16 value) {
    return __builtin_bit_cast(float, static_cast<uint32_t>(value.bits) << 16);
  }
  [[gnu::always_inline]] static BF16 narrow_bf16(float value) {
    const uint32_t word = __builtin_bit_cast(uint32_t, value);
    const uint32_t rounded = (word + 0x7fffu + ((word >> 16) & 1u)) >> 16;
    const uint32_t nan = (word >> 16) | 0x0040u;
    return {static_cast<uint16_t>(value != value ? nan : rounded)};
  }
  // Half precision as F16C converts it; the same steps as core/dtype.cc, kept apart so that
  // kernels call nothing outside their folder.
  [[gnu::always_inline]] static float widen(F16 value) {
    const uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000u) << 16;
    const uint32_t exponent = (value.bits >> 10) & 0x1fu;
    const uint32_t mantissa = value.bits & 0x3ffu;
    uint32_t magnitude;
    if (exponent == 0x1f) {
      magnitude = 0x7f800000u | (mantissa << 13) | (mantissa != 0 ? 0x00400000u : 0u);
    } else if (exponent != 0) {
      magnitude = ((exponent + 112) << 23) | (mantissa << 13);
    } else {  // zero and subnormals, exact in f32
      magnitude = __builtin_bit_cast(uint32_t, static_cast<float>(mantissa) * 0x1p-24f);
    }
    return __builtin_bit_cast(float, sign | magnitude);
  }
  [[gnu::always_inline]] static F16 narrow_f16(float value) {
    const uint32_t word = __builtin_bit_cast(uint32_t, value);
    const uint32_t sign = (word >> 16) & 0x8000u;
    const uint32_t magnitude = word & 0x7fffffffu;
    uint32_t half;
    if (magnitude > 0x7f800000u) {
      half = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
    } else if (magnitude >= 0x47800000u) {  // 2^16 and above
      half = 0x7c00u;
    } else if (magnitude < 0x38800000u) {  // below 2^-14: a multiple of 2^-24
      const float rounded = __builtin_bit_cast(float, magnitude) + 0.5f;
      half = __builtin_bit_cast(uint32_t, rounded) - 0x3f000000u;
    } else {
      half = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
    }
    return {static_cast<uint16_t>(sign | half)};
  }
};

}  // namespace invar::cpu
