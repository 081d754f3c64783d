// Pre-norm causal attention with grouped key/value heads, rotary positions and optional QK norm.
#pragma once

#include <optional>

#include "program/builder.h"
#include "weights/projection.h"

namespace invar {

struct GroupedQueryAttention {
  NormWeights input_norm;
  Projection qkv;                     // q [heads * head_dim], k and v [kv_heads * head_dim]
  std::optional<NormWeights> q_norm;  // [head_dim], per head, before rope
  std::optional<NormWeights> k_norm;
  LinearWeights out;  // [hidden, heads * head_dim]
  RopeWeights rope;
  int64_t heads = 0;
  int64_t kv_heads = 0;
  int64_t head_dim = 0;
  float scale = 0;
};

// x + out(attention(rope(qkv(norm(x)))))
Value grouped_query_attention(Builder& b, Value x, const GroupedQueryAttention& a);

}  // namespace invar
