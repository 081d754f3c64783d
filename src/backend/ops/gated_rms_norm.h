// gated_rms_norm: RMS norm of groups of `dim` columns with a gate.
//   gate_first = false: out = (x / sqrt(mean(x^2) + eps)) * weight * act(gate)
//   gate_first = true:  y = x * act(gate); out = (y / sqrt(mean(y^2) + eps)) * weight
// The mean is over each group of `dim` columns; weight repeats if it is narrower than x.
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"

namespace invar {

struct GatedRmsNormAttributes {
  int64_t dim = 0;
  float eps = 0;
  bool gate_first = false;
  bool silu = false;  // act: SiLU, else sigmoid
};

template <class T>
struct GatedRmsNormArgs {
  static constexpr const char* kName = "gated_rms_norm";
  using Attributes = GatedRmsNormAttributes;

  T x;       // [rows, groups * dim] f32; rows may be strided
  T gate;    // [rows, groups * dim] f32; rows may be strided
  T weight;  // [1, dim] or [1, groups * dim] f32
  T out;     // [rows, groups * dim] f32|bf16
  Attributes attributes;

  static void fields(auto&& visit, auto&... args) {
    visit("x", Use::kRead, args.x...);
    visit("gate", Use::kRead, args.gate...);
    visit("weight", Use::kRead, args.weight...);
    visit("out", Use::kWrite, args.out...);
  }
};
using GatedRmsNorm = GatedRmsNormArgs<TensorView>;

void validate(const GatedRmsNorm& op);
Cost cost(const GatedRmsNorm& op);

}  // namespace invar
