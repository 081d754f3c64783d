// ssd: Mamba-2's selective state space, chunk-anchored. Per head, which reads group h / (heads /
// groups) of b and c; dt_t = clamp(softplus(dt + dt_bias), dt_min, dt_max). With gamma the running
// sum of -exp(a_log) dt within the chunk and H the chunk's page:
//   y_t = (exp(gamma_t) c_t)^T H + sum_{l <= t} <c_t, b_l> exp(gamma_t - gamma_l) dt_l x_l + d x_t
//   H' = exp(gamma_63) H + sum_l (exp(gamma_63 - gamma_l) b_l) (dt_l x_l)^T
// which is the recurrence H <- exp(-exp(a_log) dt) H + b (dt x)^T; y = H^T c + d x.
// A row at position p reads page p / 64 (none, that is zeros, for page id -1) and the rows of its
// chunk before it; a pass that holds the chunk's last row writes the next page (docs/numerics.md,
// "Recurrent layers").
// Page: H, [heads, state_size, head_dim]. Row_block, for each ssd_heads_together heads: b
// [state_size, 64]; dt x [heads together, 64, head_dim]; gamma [heads together, 64].
#pragma once

#include "backend/op.h"
#include "core/tensor_view.h"

namespace invar {

inline constexpr int64_t kSsdDimMax = 256;

struct SsdAttributes {
  int64_t heads = 0;
  int64_t head_dim = 0;  // a multiple of 16, at most kSsdDimMax
  int64_t groups = 0;
  int64_t state_size = 0;  // the same
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

// Heads of a group that are computed together and share one copy of b: the largest divisor of heads
// / groups up to 4, so that there are enough parts for the lanes.
int64_t ssd_heads_together(const SsdAttributes& attributes);
// f32 columns of a page and of one of the 64 rows of a row_block.
int64_t ssd_page_columns(const SsdAttributes& attributes);
int64_t ssd_row_columns(const SsdAttributes& attributes);

void validate(const Ssd& op);
Cost cost(const Ssd& op);

}  // namespace invar
