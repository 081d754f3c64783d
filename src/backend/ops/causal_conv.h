// causal_conv: depthwise causal convolution over positions, optional bias and SiLU.
//   out[t, c] = act(bias[c] + sum_{j ascending} weight[j, c] * x[t - taps + 1 + j, c])
// with zeros before position 0.
// A row at position p reads page c = p / 64 (none, that is zeros, for page id -1) and the rows of
// its chunk before it in row_block c; a pass that holds the chunk's last row writes page c + 1
// (docs/numerics.md, "Recurrent layers").
// Page: the last taps - 1 inputs before the boundary, [taps - 1, channels]. Row_block: the inputs,
// [64, channels].
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"

namespace invar {

inline constexpr int64_t kCausalConvTapsMax = 16;

struct CausalConvAttributes {
  int64_t taps = 0;  // 2..kCausalConvTapsMax
  bool silu = false;
};

template <class T>
struct CausalConvArgs {
  static constexpr const char* kName = "causal_conv";
  using Attributes = CausalConvAttributes;

  T x;            // [rows, channels] f32; rows may be strided
  T weight;       // [taps, channels] f32; the last tap meets the newest input
  T bias;         // [1, channels] f32
  T positions;    // [rows, 1] i32, consecutive within a segment
  T cu_rows;      // [segments + 1, 1] i32
  T state_pages;  // [segments, chunks + 1] i32: page of each boundary from the segment's first
                  // chunk on
  T row_blocks;   // [segments, chunks + 1] i32: row_block of each chunk from the segment's first on
  T pages;        // [state_pages, page columns] f32
  T rows;         // [row_blocks, 64 * row columns] f32
  T out;          // [rows, channels] f32
  Attributes attributes;

  static void fields(auto&& visit, auto&... args) {
    visit("x", Use::kRead, args.x...);
    visit("weight", Use::kRead, args.weight...);
    visit("bias", Use::kOptional, args.bias...);
    visit("positions", Use::kRead, args.positions...);
    visit("cu_rows", Use::kRead, args.cu_rows...);
    visit("state_pages", Use::kRead, args.state_pages...);
    visit("row_blocks", Use::kRead, args.row_blocks...);
    visit("pages", Use::kReadWrite, args.pages...);
    visit("rows", Use::kReadWrite, args.rows...);
    visit("out", Use::kWrite, args.out...);
  }
};
using CausalConv = CausalConvArgs<TensorView>;

void validate(const CausalConv& op);
Cost cost(const CausalConv& op);

}  // namespace invar
