// rope: rotary position embedding, in place, over the heads of a row. Pairs are (i, i + half)
// of the 2 * half columns of each head from first_column on, half = table.columns / 2; other
// columns stay as they are.
//   a' = a * cos - b * sin;   b' = b * cos + a * sin
// Each product is rounded to f32, then the difference or sum. The table's angles come from double.
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"

namespace invar {

struct RopeAttributes {
  int64_t head_dim = 0;
  int64_t first_column = 0;
};

template <class T>
struct RopeArgs {
  static constexpr const char* kName = "rope";
  using Attributes = RopeAttributes;

  T positions;  // [rows, 1] i32
  T table;      // [context, 2 * half] f32: cos [half], then sin [half], of each position
  T x;          // [rows, heads * head_dim] f32; rows may be strided
  Attributes attributes;

  static void fields(auto&& visit, auto&... args) {
    visit("positions", Use::kRead, args.positions...);
    visit("table", Use::kRead, args.table...);
    visit("x", Use::kReadWrite, args.x...);
  }
};
using Rope = RopeArgs<TensorView>;

void validate(const Rope& op);
Cost cost(const Rope& op);

}  // namespace invar
