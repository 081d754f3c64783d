// situ_mul: the bounded gated activation of Kimi K3.
//   out = beta * tanh(gate / beta) * sigmoid(gate) * linear_beta * tanh(up / linear_beta)
// (linear_beta = 0: the up part is `up` itself)
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"

namespace invar {

struct SituMulAttributes {
  float beta = 0;
  float linear_beta = 0;
};

template <class T>
struct SituMulArgs {
  static constexpr const char* kName = "situ_mul";
  using Attributes = SituMulAttributes;

  T gate;  // [rows, width] f32; rows may be strided
  T up;    // [rows, width] f32; rows may be strided
  T out;   // [rows, width] f32|bf16
  Attributes attributes;

  static void fields(auto&& visit, auto&... args) {
    visit("gate", Use::kRead, args.gate...);
    visit("up", Use::kRead, args.up...);
    visit("out", Use::kWrite, args.out...);
  }
};
using SituMul = SituMulArgs<TensorView>;

void validate(const SituMul& op);
Cost cost(const SituMul& op);

}  // namespace invar
