// head_linear: each head of a row times a matrix of its own.
//   out[t, h, n] = sum_k x[t, h, k] * W_h[n, k]                 n < N
//   out[t, h, N + i] = x[t, h, K + i]                           i < kept: columns that no matrix
//   takes and zeros to the head's end in out.
// Every sum is linear's: the same kernels, one chain per output, K ascending.
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"
#include "kernels/weight_format.h"

namespace invar {

struct HeadLinearAttributes {
  // [heads * outputs rounded up to 16, K], head after head, of a format that takes f32 rows: no
  // panel has rows of two heads.
  const PackedMatrix* weight = nullptr;
  int64_t heads = 0;
  int64_t outputs = 0;  // N
  int64_t kept = 0;
};

template <class T>
struct HeadLinearArgs {
  static constexpr const char* kName = "head_linear";
  using Attributes = HeadLinearAttributes;

  T x;    // [rows, heads * (at least K + kept)] f32; rows may be strided
  T out;  // [rows, heads * (at least N + kept)] f32
  Attributes attributes;

  static void fields(auto&& visit, auto&... args) {
    visit("x", Use::kRead, args.x...);
    visit("out", Use::kWrite, args.out...);
  }
};
using HeadLinear = HeadLinearArgs<TensorView>;

void validate(const HeadLinear& op);
Cost cost(const HeadLinear& op);

// Rows of the weight between one head's first and the next.
inline int64_t head_matrix_rows(int64_t outputs) {
  return (outputs + kPanelRows - 1) / kPanelRows * kPanelRows;
}

}  // namespace invar
