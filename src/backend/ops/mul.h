// mul: out[t, i] = a[t, i] * b[t, i], one f32 multiplication.
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"

namespace invar {

struct MulAttributes {};

template <class T>
struct MulArgs {
  static constexpr const char* kName = "mul";
  using Attributes = MulAttributes;

  T a;    // [rows, width] f32; rows may be strided
  T b;    // [rows, width] f32; rows may be strided
  T out;  // [rows, width] f32|bf16
  Attributes attributes;

  static void fields(auto&& visit, auto&... args) {
    visit("a", Use::kRead, args.a...);
    visit("b", Use::kRead, args.b...);
    visit("out", Use::kWrite, args.out...);
  }
};
using Mul = MulArgs<TensorView>;

void validate(const Mul& op);
Cost cost(const Mul& op);

}  // namespace invar
