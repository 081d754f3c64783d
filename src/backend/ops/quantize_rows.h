// quantize_rows: f32 activations to int8 in groups of 32 within a row (dtype kQ8Row).
//   amax = max |x_i|;  d = amax / 127;  q_i = round_to_nearest_even(x_i * (127 / amax))
// A group with amax < 2^-119 is all zeros with d = 0. A group with an infinity or NaN has d = NaN
// and q = 0, so that every product with it is NaN.
// Row layout: int8 q [K], f32 d [K / 32], i16 sums of 16 q each [K / 16]. Two sums lie in one
// dword, so a kernel gets a group's sum, and any weighting of its halves, with one multiply-add of
// pairs.
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"

namespace invar {

struct QuantizeRowsAttributes {};

template <class T>
struct QuantizeRowsArgs {
  static constexpr const char* kName = "quantize_rows";
  using Attributes = QuantizeRowsAttributes;

  T x;    // [rows, K] f32; K a multiple of 32
  T out;  // [rows, K] q8
  Attributes attributes;

  static void fields(auto&& visit, auto&... args) {
    visit("x", Use::kRead, args.x...);
    visit("out", Use::kWrite, args.out...);
  }
};
using QuantizeRows = QuantizeRowsArgs<TensorView>;

void validate(const QuantizeRows& op);
Cost cost(const QuantizeRows& op);

}  // namespace invar
