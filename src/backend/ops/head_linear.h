// head_linear: a small matrix per head, out[t, h, n] = sum_k x[t, h, k] * weight[h, n, k]; the
// arithmetic of `linear` per head. MLA's absorbed projections.
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"
#include "kernels/weight_format.h"

namespace invar {

struct HeadLinearAttributes {
  const PackedMatrix* const* heads = nullptr;  // [head count] matrices of one shape and format
  int64_t head_count = 0;
  int64_t x_head_stride = 0;    // columns from one head's input to the next
  int64_t out_head_stride = 0;  // columns from one head's output to the next
};

template <class T>
struct HeadLinearArgs {
  static constexpr const char* kName = "head_linear";
  using Attributes = HeadLinearAttributes;

  T x;    // [rows, head_count * x_head_stride] f32|bf16; the first K columns of each head are read
  T out;  // [rows, head_count * out_head_stride] f32; the first N columns of each head are written
  Attributes attributes;

  static void fields(auto&& visit, auto&... args) {
    visit("x", Use::kRead, args.x...);
    visit("out", Use::kWrite, args.out...);
  }
};
using HeadLinear = HeadLinearArgs<TensorView>;

void validate(const HeadLinear& op);
Cost cost(const HeadLinear& op);

}  // namespace invar
