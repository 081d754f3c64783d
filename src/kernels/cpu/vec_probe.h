// Runs every operation of a vector type once on given lanes, so that tests can compare instruction
// sets bit for bit: a test itself is compiled for none of them. No program uses it.
#pragma once

#include <cstdint>

#include "kernels/cpu/element.h"
#include "kernels/cpu/vec_math.h"

namespace invar::cpu {

struct VecProbe {
  float a[16];
  float b[16];
  float c[16];
  int32_t i[16];
  int32_t j[16];
  BF16 bf16[16];
  F16 f16[16];
  int count;  // lanes of the partial operations
};

// Every byte is written, or left as the caller set it where a partial store must not write.
struct VecProbeResult {
  struct Arithmetic {  // results that may be NaNs of any payload
    float add[16], sub[16], mul[16], div[16], fma[16], sqrt[16], max[16], exp[16];
    float reduce_sum, reduce_max;
  } arithmetic;
  struct Exact {
    float abs[16], select_less[16], select_nan[16], select_first[16];
    float load_bf16[16], load_f16[16];
    float load_partial_f32[16], load_partial_bf16[16], load_partial_f16[16];
    float store_partial_f32[16];
    BF16 store_bf16[16], store_partial_bf16[16];
    F16 store_f16[16], store_partial_f16[16];
    int32_t bits[16], add_i32[16], mul_i32[16], max_i32[16], shift_left_23[16], round_to_i32[16];
    float to_float[16];
    int8_t store_i8[16];
    int32_t reduce_sum_i32, reduce_max_i32;
  } exact;
};

void portable_vec_probe(const VecProbe& probe, VecProbeResult* result);
void avx2_vec_probe(const VecProbe& probe, VecProbeResult* result);
void avx512_vec_probe(const VecProbe& probe, VecProbeResult* result);

template <class V>
void vec_probe(const VecProbe& p, VecProbeResult* result) {
  using F = typename V::F;
  using I = typename V::I;
  const F a = V::load(p.a);
  const F b = V::load(p.b);
  const F c = V::load(p.c);
  VecProbeResult::Arithmetic& r = result->arithmetic;
  V::store(r.add, V::add(a, b));
  V::store(r.sub, V::sub(a, b));
  V::store(r.mul, V::mul(a, b));
  V::store(r.div, V::div(a, b));
  V::store(r.fma, V::fma(a, b, c));
  V::store(r.sqrt, V::sqrt(a));
  V::store(r.max, V::max(a, b));
  V::store(r.exp, VecMath<V>::exp(a));
  r.reduce_sum = V::reduce_sum(a);
  r.reduce_max = V::reduce_max(a);

  VecProbeResult::Exact& e = result->exact;
  V::store(e.abs, V::abs(a));
  V::store(e.select_less, V::select(V::less(a, b), c, V::broadcast(p.a[3])));
  V::store(e.select_nan, V::select(V::is_nan(a), b, c));
  V::store(e.select_first, V::select(V::first(p.count), a, V::zero()));
  V::store(e.load_bf16, V::load(p.bf16));
  V::store(e.load_f16, V::load(p.f16));
  V::store(e.load_partial_f32, V::load_partial(p.a, p.count));
  V::store(e.load_partial_bf16, V::load_partial(p.bf16, p.count));
  V::store(e.load_partial_f16, V::load_partial(p.f16, p.count));
  V::store_partial(e.store_partial_f32, a, p.count);
  V::store(e.store_bf16, a);
  V::store_partial(e.store_partial_bf16, a, p.count);
  V::store(e.store_f16, a);
  V::store_partial(e.store_partial_f16, a, p.count);

  const I i = V::load_i32(p.i);
  const I j = V::load_i32(p.j);
  V::store_i32(e.bits, V::bits(V::from_bits(V::bits(a))));
  V::store_i32(e.add_i32, V::add_i32(i, j));
  V::store_i32(e.mul_i32, V::mul_i32(i, j));
  V::store_i32(e.max_i32, V::max_i32(i, V::broadcast_i32(p.j[0])));
  V::store_i32(e.shift_left_23, V::template shift_left<23>(i));
  V::store_i32(e.round_to_i32, V::round_to_i32(a));
  V::store(e.to_float, V::to_float(i));
  V::store_i8(e.store_i8, i);
  e.reduce_sum_i32 = V::reduce_sum_i32(i);
  e.reduce_max_i32 = V::reduce_max_i32(i);
}

}  // namespace invar::cpu
