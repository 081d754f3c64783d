// Multi-head latent attention (MLA) over a paged cache of latents: the keys and values of all heads
// are one row c | pe a position. The matrices that would expand it are absorbed: those of the keys
// into the queries, those of the values behind the softmax.
//
//   q        = q(h), or q_b(norm(q_a(h)))                 per head [nope | rope]
//   c | pe   = kv_a(h); c = norm(c)                       cached
//   query_h  = [Wk_h^T q_nope_h | q_rope_h];  o_h = Wv_h (attention of query_h over c | pe, values
//   c) result   = addend + out(o [* sigmoid(gate(h))])
//
// With a rotation q_rope and pe are rotated (half-split); without one they are kept as they are.
// The caller normalises: `h` is the normed input; `addend` is optional.
#pragma once

#include <optional>

#include "program/builder.h"
#include "weights/projection.h"

namespace invar {

struct LatentAttention {
  // q (or q_a), kv_a, and the gate if there is one. kv_a's rows are padded to cache_columns.
  Projection in;
  struct LowRankQuery {
    NormWeights norm;
    LinearWeights up;
  };
  std::optional<LowRankQuery> low_rank_query;
  NormWeights latent_norm;  // [kv_lora]
  HeadWeights keys;         // Wk_h^T, [kv_lora, nope] a head
  HeadWeights values;       // Wv_h, [value_dim, kv_lora] a head
  LinearWeights out;        // [hidden, heads * value_dim]
  bool gated = false;
  std::optional<RopeWeights> rotation;
  int64_t heads = 0;
  int64_t kv_lora = 0;
  int64_t rope = 0;
  float scale = 0;

  // A latent row in the cache: c | pe, and zeros to a whole number of vectors.
  int64_t cache_columns() const { return round_up(kv_lora + rope); }
  int64_t cache_values() const { return round_up(kv_lora); }
  static int64_t round_up(int64_t columns) { return (columns + 15) / 16 * 16; }
};

Value latent_attention(Builder& b, Value h, Value addend, const LatentAttention& a);

}  // namespace invar
