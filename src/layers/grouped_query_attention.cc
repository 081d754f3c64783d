// See grouped_query_attention.h.
#include "layers/grouped_query_attention.h"

#include "layers/projection.h"

namespace invar {

Value grouped_query_attention(Builder& b, Value x, const GroupedQueryAttention& a) {
  const AttentionState cache = b.paged_attention_state(a.kv_heads, a.head_dim);
  const Value h = b.rms_norm(x, a.input_norm);
  const std::vector<Value> qkv = project(b, h, a.qkv);
  const Value q = qkv[0];
  const Value k = qkv[1];
  const Value v = qkv[2];
  if (a.q_norm) {
    b.rms_norm_in_place(q, *a.q_norm);
  }
  if (a.k_norm) {
    b.rms_norm_in_place(k, *a.k_norm);
  }
  b.rope(q, a.rope, a.head_dim);
  b.rope(k, a.rope, a.head_dim);
  b.kv_write(cache, k, v);
  const Value o = b.attention(q, cache, {.heads = a.heads, .scale = a.scale});
  return b.add(x, b.linear(o, a.out));
}

}  // namespace invar
