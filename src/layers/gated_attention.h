// Grouped-query attention whose output is gated: x + out(attention(...) * sigmoid(gate)), with QK
// norm and partial rotary positions (Qwen3-Next, Qwen3.5).
#pragma once

#include "program/builder.h"
#include "weights/projection.h"

namespace invar {

struct GatedAttention {
  NormWeights input_norm;
  Projection qgkv;  // q and gate [heads * head_dim] each, k and v [kv_heads * head_dim] each
  NormWeights q_norm;
  NormWeights k_norm;
  LinearWeights out;
  RopeWeights rope;  // the first columns of each head rotate
  int64_t heads = 0;
  int64_t kv_heads = 0;
  int64_t head_dim = 0;
  float scale = 0;
};

Value gated_attention(Builder& b, Value x, const GatedAttention& a);

}  // namespace invar
