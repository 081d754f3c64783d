// moe_combine: the weighted sum of a row's experts.
//   out[t] = [addend[t] +] sum_j weights[t, j] * y[t * top_k + j]
// The sum is one chain per element, j ascending; the addend is added to the finished sum.
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"

namespace invar {

struct MoeCombineAttributes {};

template <class T>
struct MoeCombineArgs {
  static constexpr const char* kName = "moe_combine";
  using Attributes = MoeCombineAttributes;

  T y;        // [rows * top_k, width] f32
  T weights;  // [rows, top_k] f32
  T addend;   // [rows, width] f32; may be out itself
  T out;      // [rows, width] f32|bf16
  Attributes attributes;

  static void fields(auto&& visit, auto&... args) {
    visit("y", Use::kRead, args.y...);
    visit("weights", Use::kRead, args.weights...);
    visit("addend", Use::kOptional, args.addend...);
    visit("out", Use::kWrite, args.out...);
  }
};
using MoeCombine = MoeCombineArgs<TensorView>;

void validate(const MoeCombine& op);
Cost cost(const MoeCombine& op);

}  // namespace invar
