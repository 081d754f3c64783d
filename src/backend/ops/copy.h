// copy: out = x, with no arithmetic. Keeps a value in a window of a wider one (a residual bank).
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"

namespace invar {

struct CopyAttributes {};

template <class T>
struct CopyArgs {
  static constexpr const char* kName = "copy";
  using Attributes = CopyAttributes;

  T x;    // [rows, width] of any dtype
  T out;  // [rows, width], dtype as x
  Attributes attributes;

  static void fields(auto&& visit, auto&... args) {
    visit("x", Use::kRead, args.x...);
    visit("out", Use::kWrite, args.out...);
  }
};
using Copy = CopyArgs<TensorView>;

void validate(const Copy& op);
Cost cost(const Copy& op);

}  // namespace invar
