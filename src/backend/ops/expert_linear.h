// expert_linear: one matrix product per (row, chosen expert). Routed row r = t * top_k + j uses
// expert ids[t, j]; its input is row t of x if x has the pass's rows, row r if it has the routed
// rows. The arithmetic of an output is that of `linear` with the expert's matrix.
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"
#include "kernels/weight_format.h"

namespace invar {

struct ExpertLinearAttributes {
  const PackedMatrix* const* experts = nullptr;  // [expert count] matrices of one shape and format
  int64_t expert_count = 0;
  int64_t top_k = 0;
};

template <class T>
struct ExpertLinearArgs {
  static constexpr const char* kName = "expert_linear";
  using Attributes = ExpertLinearAttributes;

  T x;    // [rows, K] or [rows * top_k, K]: dtype as linear's x
  T ids;  // [rows, top_k] i32
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
Cost cost(const ExpertLinear& op);

}  // namespace invar
