// See gated_attention.h.
#include "layers/gated_attention.h"

#include "layers/projection.h"

namespace invar {

Value gated_attention(Builder& b, Value x, const GatedAttention& a) {
  const AttentionState cache = b.paged_attention_state(a.kv_heads, a.head_dim);
  const Value h = b.rms_norm(x, a.input_norm);
  const std::vector<Value> parts = project(b, h, a.qgkv);
  const Value q = parts[0];
  const Value gate = parts[1];
  const Value k = parts[2];
  const Value v = parts[3];
  b.rms_norm_in_place(q, a.q_norm);
  b.rms_norm_in_place(k, a.k_norm);
  b.rope(q, a.rope, a.head_dim);
  b.rope(k, a.rope, a.head_dim);
  b.kv_write(cache, k, v);
  const Value o = b.attention(q, cache, {.heads = a.heads, .scale = a.scale, .rounded = false});
  const Value gated = b.sigmoid_mul(o, gate, {.addend = {}, .rounded = true});
  return b.add(x, b.linear(gated, a.out));
}

}  // namespace invar
