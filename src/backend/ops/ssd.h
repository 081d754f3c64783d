// ssd: Mamba-2's selective state space, chunk-anchored. Per head h, which reads group h / (heads /
// groups); dt_t = clamp(softplus(dt + dt_bias), dt_min, dt_max); gamma is the running sum of
// -exp(a_log) * dt within the chunk, H the chunk's page [state_size, head_dim]:
//   y_t = (exp(gamma_t) c_t)^T H + sum_{l <= t} exp(gamma_t - gamma_l) <c_t, b_l> dt_l x_l + d *
//   x_t H' = exp(gamma_C) H + sum_l (exp(gamma_C - gamma_l) b_l) (dt_l x_l)^T
// A row at position p reads page c = p / 64 (none, that is zeros, for page id -1) and the rows of
// its chunk before it in row_block c; a pass that holds the chunk's last row writes page c + 1
// (docs/numerics.md, "Recurrent layers").
// Row: dt x, b, gamma.
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"

namespace invar {

struct SsdAttributes {
  int64_t heads = 0;
  int64_t head_dim = 0;  // a multiple of 16
  int64_t groups = 0;
  int64_t state_size = 0;  // a multiple of 16
  float dt_min = 0;
  float dt_max = 0;
};

template <class T>
struct SsdArgs {
  static constexpr const char* kName = "ssd";
  using Attributes = SsdAttributes;

  T x;            // [rows, heads * head_dim] f32; rows may be strided
  T b;            // [rows, groups * state_size] f32
  T c;            // [rows, groups * state_size] f32
  T dt;           // [rows, heads] f32
  T dt_bias;      // [1, heads] f32
  T a_log;        // [1, heads] f32
  T d;            // [1, heads] f32
  T positions;    // [rows, 1] i32, consecutive within a segment
  T cu_rows;      // [segments + 1, 1] i32
  T state_pages;  // [segments, chunks + 1] i32: page of each boundary from the segment's first
                  // chunk on
  T row_blocks;   // [segments, chunks + 1] i32: row_block of each chunk from the segment's first on
  T pages;        // [state_pages, page columns] f32
  T rows;         // [row_blocks, 64 * row columns] f32
  T out;          // [rows, heads * head_dim] f32
  Attributes attributes;

  static void fields(auto&& visit, auto&... args) {
    visit("x", Use::kRead, args.x...);
    visit("b", Use::kRead, args.b...);
    visit("c", Use::kRead, args.c...);
    visit("dt", Use::kRead, args.dt...);
    visit("dt_bias", Use::kRead, args.dt_bias...);
    visit("a_log", Use::kRead, args.a_log...);
    visit("d", Use::kRead, args.d...);
    visit("positions", Use::kRead, args.positions...);
    visit("cu_rows", Use::kRead, args.cu_rows...);
    visit("state_pages", Use::kRead, args.state_pages...);
    visit("row_blocks", Use::kRead, args.row_blocks...);
    visit("pages", Use::kReadWrite, args.pages...);
    visit("rows", Use::kReadWrite, args.rows...);
    visit("out", Use::kWrite, args.out...);
  }
};
using Ssd = SsdArgs<TensorView>;

void validate(const Ssd& op);
Cost cost(const Ssd& op);

}  // namespace invar
