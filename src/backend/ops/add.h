// add: out[t, i] = a[t, i] + b[t, i], one f32 addition.
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"

namespace invar {

struct AddAttributes {};

template <class T>
struct AddArgs {
  static constexpr const char* kName = "add";
  using Attributes = AddAttributes;

  T a;    // [rows, width] f32
  T b;    // [rows, width] f32
  T out;  // [rows, width] f32; may be a or b
  Attributes attributes;

  static void fields(auto&& visit, auto&... args) {
    visit("a", Use::kRead, args.a...);
    visit("b", Use::kRead, args.b...);
    visit("out", Use::kWrite, args.out...);
  }
};
using Add = AddArgs<TensorView>;

void validate(const Add& op);
Cost cost(const Add& op);

}  // namespace invar
