// rms_norm: root-mean-square normalisation of each group of `dim` columns of a row, where dim is
// weight.columns. One group is the usual layer norm; heads as groups give QK norm.
//   out[t, g, i] = (x[t, g, i] * (1 / sqrt(mean_i(x[t, g, i]^2) + eps))) * weight[i]
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"

namespace invar {

struct RmsNormAttributes {
  float eps = 0;
};

template <class T>
struct RmsNormArgs {
  static constexpr const char* kName = "rms_norm";
  using Attributes = RmsNormAttributes;

  T x;       // [rows, groups * dim] f32; rows may be strided
  T weight;  // [1, dim] f32
  T out;     // [rows, groups * dim] f32|bf16; may be x itself
  Attributes attributes;

  static void fields(auto&& visit, auto&... args) {
    visit("x", Use::kRead, args.x...);
    visit("weight", Use::kRead, args.weight...);
    visit("out", Use::kWrite, args.out...);
  }
};
using RmsNorm = RmsNormArgs<TensorView>;

void validate(const RmsNorm& op);
Cost cost(const RmsNorm& op);

}  // namespace invar
