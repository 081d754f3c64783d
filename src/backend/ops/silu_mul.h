// silu_mul: the gated activation of a SwiGLU feed-forward.
//   out[t, i] = (gate[t, i] / (1 + exp(-gate[t, i]))) * up[t, i]
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"

namespace invar {

struct SiluMulAttributes {};

template <class T>
struct SiluMulArgs {
  static constexpr const char* kName = "silu_mul";
  using Attributes = SiluMulAttributes;

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
using SiluMul = SiluMulArgs<TensorView>;

void validate(const SiluMul& op);
Cost cost(const SiluMul& op);

}  // namespace invar
