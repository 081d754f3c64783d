// gather_rows: out[i, :] = x[row_index[i], :], with no arithmetic. Takes the rows of a pass whose
// logits are wanted.
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"

namespace invar {

struct GatherRowsAttributes {};

template <class T>
struct GatherRowsArgs {
  static constexpr const char* kName = "gather_rows";
  using Attributes = GatherRowsAttributes;

  T x;          // [rows, width] of any dtype
  T row_index;  // [wanted, 1] i32, each in [0, rows)
  T out;        // [wanted, width], dtype as x
  Attributes attributes;

  static void fields(auto&& visit, auto&... args) {
    visit("x", Use::kRead, args.x...);
    visit("row_index", Use::kRead, args.row_index...);
    visit("out", Use::kWrite, args.out...);
  }
};
using GatherRows = GatherRowsArgs<TensorView>;

void validate(const GatherRows& op);
Cost cost(const GatherRows& op);

}  // namespace invar
