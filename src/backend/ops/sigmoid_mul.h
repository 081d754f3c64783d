// sigmoid_mul: out[t, i] = x[t, i] * sigmoid(gate[t, i]); a gate of one column holds for the row.
// With an addend: out = addend + x * sigmoid(gate).
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"

namespace invar {

struct SigmoidMulAttributes {};

template <class T>
struct SigmoidMulArgs {
  static constexpr const char* kName = "sigmoid_mul";
  using Attributes = SigmoidMulAttributes;

  T x;       // [rows, width] f32; rows may be strided
  T gate;    // [rows, width] or [rows, 1] f32; rows may be strided
  T addend;  // [rows, width] f32; may be out itself
  T out;     // [rows, width] f32|bf16
  Attributes attributes;

  static void fields(auto&& visit, auto&... args) {
    visit("x", Use::kRead, args.x...);
    visit("gate", Use::kRead, args.gate...);
    visit("addend", Use::kOptional, args.addend...);
    visit("out", Use::kWrite, args.out...);
  }
};
using SigmoidMul = SigmoidMulArgs<TensorView>;

void validate(const SigmoidMul& op);
Cost cost(const SigmoidMul& op);

}  // namespace invar
