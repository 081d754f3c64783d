// linear: a matrix product with a packed weight.
//   out[t, n] = (sum_k x[t, k] * weight[n, k])  [+ bias[n]]  [+ addend[t, n]]
// The sum is one chain per output, K ascending; bias, then addend, are added to the finished sum.
// Dense formats take f32 or bf16 rows and multiply in f32; quantized formats take q8 rows.
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"
#include "kernels/weight_format.h"

namespace invar {

struct LinearAttributes {
  const PackedMatrix* weight = nullptr;  // [N, K]
};

template <class T>
struct LinearArgs {
  static constexpr const char* kName = "linear";
  using Attributes = LinearAttributes;

  T x;       // [rows, K] f32|bf16 for dense formats, q8 for quantized ones
  T bias;    // [1, N] f32
  T addend;  // [rows, N] f32; may be out itself
  T out;     // [rows, N] f32
  Attributes attributes;

  static void fields(auto&& visit, auto&... args) {
    visit("x", Use::kRead, args.x...);
    visit("bias", Use::kOptional, args.bias...);
    visit("addend", Use::kOptional, args.addend...);
    visit("out", Use::kWrite, args.out...);
  }
};
using Linear = LinearArgs<TensorView>;

void validate(const Linear& op);
Cost cost(const Linear& op);

}  // namespace invar
