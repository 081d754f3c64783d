// expert_linear: each row times the matrices of the experts that were chosen for it.
//   out[t * top_k + j] = x[...] * E^T, E = expert ids[t, j]'s [N, K]
// x is row t (x has as many rows as ids) or row t * top_k + j (as many as out). Every output is
// computed by linear's own arithmetic, whatever other rows chose the same expert. An expert that no
// row chose is not read.
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"
#include "kernels/weight_format.h"

namespace invar {

struct ExpertLinearAttributes {
  const PackedMatrix* weight = nullptr;  // [experts * N, K], expert after expert
  int64_t experts = 0;                   // N is a multiple of 16: no panel has rows of two experts
};

template <class T>
struct ExpertLinearArgs {
  static constexpr const char* kName = "expert_linear";
  using Attributes = ExpertLinearAttributes;

  T x;    // [rows or rows * top_k, K] f32|bf16 for dense formats, q8 for quantized ones
  T ids;  // [rows, top_k] i32, each in [0, experts)
  T out;  // [rows * top_k, N] f32
  Attributes attributes;

  static void fields(auto&& visit, auto&... args) {
    visit("x", Use::kRead, args.x...);
    visit("ids", Use::kRead, args.ids...);
    visit("out", Use::kWrite, args.out...);
  }
};
using ExpertLinear = ExpertLinearArgs<TensorView>;

void validate(const ExpertLinear& op);
// Bytes of weights: as many experts as rows could have chosen at most.
Cost cost(const ExpertLinear& op);

}  // namespace invar
