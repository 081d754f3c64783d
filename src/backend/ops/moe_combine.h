// moe_combine: out[t, :] = sum over j ascending of weights[t, j] * x[t * top_k + j, :], one chain
// per output: first product, then fused multiply-adds; an addend is added to the finished sum.
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"

namespace invar {

struct MoeCombineAttributes {
  int64_t top_k = 0;
};

template <class T>
struct MoeCombineArgs {
  static constexpr const char* kName = "moe_combine";
  using Attributes = MoeCombineAttributes;

  T x;        // [rows * top_k, width] f32
  T weights;  // [rows, top_k] f32
  T addend;   // [rows, width] f32; may be out itself
  T out;      // [rows, width] f32
  Attributes attributes;

  static void fields(auto&& visit, auto&... args) {
    visit("x", Use::kRead, args.x...);
    visit("weights", Use::kRead, args.weights...);
    visit("addend", Use::kOptional, args.addend...);
    visit("out", Use::kWrite, args.out...);
  }
};
using MoeCombine = MoeCombineArgs<TensorView>;

void validate(const MoeCombine& op);
Cost cost(const MoeCombine& op);

}  // namespace invar
