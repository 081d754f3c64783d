// attention: causal softmax attention over the paged cache, grouped-query heads.
// Row t of segment s at position p sees the keys of positions 0..p of its sequence (its own key was
// written by kv_write before). Arithmetic (docs/numerics.md): keys in absolute tiles of 64,
// ascending; a partial result (max, sum, output) closes at every 256 positions and is merged into
// the total in ascending order; keys after p are never read as numbers.
//   score = (sum_d q_d * k_d) * scale;  out = sum_j softmax(score)_j v_j
// Without a v_cache the keys are latents: v_j is the first value_dim columns of k_j.
#pragma once

#include "backend/op.h"
#include "backend/ops/kv_write.h"
#include "core/tensor_view.h"

namespace invar {

inline constexpr int64_t kAttentionBorderRows = 256;
inline constexpr int64_t kAttentionHeadDimMax = 256;
inline constexpr int64_t kAttentionLatentDimMax = 640;

struct AttentionAttributes {
  int64_t heads = 0;  // a multiple of kv_heads; head h reads kv head h / (heads / kv_heads)
  int64_t kv_heads = 0;
  int64_t head_dim =
      0;  // a multiple of 16, at most kAttentionHeadDimMax; of latents ...LatentDimMax
  // head_dim; of latents the columns of a key that are its value too: a multiple of 16.
  int64_t value_dim = 0;
  float scale = 0;
};

template <class T>
struct AttentionArgs {
  static constexpr const char* kName = "attention";
  using Attributes = AttentionAttributes;

  T q;            // [rows, heads * head_dim] f32; rows may be strided
  T positions;    // [rows, 1] i32, consecutive within a segment
  T cu_rows;      // [segments + 1, 1] i32: first row of each segment, then the row count
  T block_table;  // [segments, kv_blocks_max] i32
  T k_cache;      // as kv_write
  T v_cache;      // as kv_write; optional
  T out;          // [rows, heads * value_dim] f32|bf16
  Attributes attributes;

  static void fields(auto&& visit, auto&... args) {
    visit("q", Use::kRead, args.q...);
    visit("positions", Use::kRead, args.positions...);
    visit("cu_rows", Use::kRead, args.cu_rows...);
    visit("block_table", Use::kRead, args.block_table...);
    visit("k_cache", Use::kRead, args.k_cache...);
    visit("v_cache", Use::kOptional, args.v_cache...);
    visit("out", Use::kWrite, args.out...);
  }
};
using Attention = AttentionArgs<TensorView>;

void validate(const Attention& op);
Cost cost(const Attention& op);

}  // namespace invar
