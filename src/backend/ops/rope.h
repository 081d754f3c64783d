// rope: rotary position embedding, in place, over the heads of a row. Pairs are (i, i + half)
// of the 2 * half columns of each head from first_column on, half = table.columns / 2; other
// columns stay as they are.
//   a' = a * cos - b * sin;   b' = b * cos + a * sin
// Each product is rounded to f32, then the difference or sum. The table's angles come from double.
//
// Where a row has three positions (t, h, w: time, height and width of a piece of an image), each
// pair is turned by one of them: rope_stream() says which. Equal positions give the bits of one.
#pragma once

#include <array>

#include "backend/op.h"
#include "core/tensor_view.h"

namespace invar {

inline constexpr int64_t kRopeStreams = 3;
inline constexpr int64_t kRopeStreamColumnsMax = 640;  // of a table, where there are three

// How many pairs each of t, h and w turns; their sum is half, or 0 where a row has one position.
using RopeSections = std::array<int64_t, kRopeStreams>;

struct RopeAttributes {
  int64_t head_dim = 0;
  int64_t first_column = 0;
  RopeSections sections = {};
};

// The streams alternate: pair i belongs to h (1) or w (2) if i mod 3 is that and the stream's
// section is not used up, else to t (0).
inline int64_t rope_stream(const RopeSections& sections, int64_t pair) {
  const int64_t stream = pair % kRopeStreams;
  return pair / kRopeStreams < sections[stream] ? stream : 0;
}

template <class T>
struct RopeArgs {
  static constexpr const char* kName = "rope";
  using Attributes = RopeAttributes;

  T positions;  // [rows, 1] i32, or [rows, 3] with sections
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
