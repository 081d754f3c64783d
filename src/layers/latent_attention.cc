// See latent_attention.h.
#include "layers/latent_attention.h"

#include "layers/projection.h"

namespace invar {

Value latent_attention(Builder& b, Value h, Value addend, const LatentAttention& a) {
  const AttentionState cache = b.paged_latent_state(a.cache_columns(), a.cache_values());
  const std::vector<Value> parts = project(b, h, a.in);
  const Value q = a.low_rank_query
                      ? b.linear(b.rms_norm(parts[0], a.low_rank_query->norm), a.low_rank_query->up)
                      : parts[0];
  const Value row = parts[1];
  const int64_t widths[] = {a.kv_lora, a.rope, a.cache_columns() - a.kv_lora - a.rope};
  const std::vector<Value> latent = b.split(row, widths);
  b.rms_norm_in_place(latent[0], a.latent_norm);
  if (a.rotation) {
    const int64_t head_dim = q.columns / a.heads;
    b.rope(q, *a.rotation, head_dim, head_dim - a.rope);
    b.rope(latent[1], *a.rotation, a.rope);
  }
  b.kv_write(cache, row, {});
  const Value query = b.head_linear(q, a.keys, {.kept = a.rope, .head_columns = a.cache_columns()});
  const Value mixed =
      b.attention(query, cache, {.heads = a.heads, .scale = a.scale, .rounded = false});
  Value o = b.head_linear(mixed, a.values, {});
  if (a.gated) {
    o = b.sigmoid_mul(o, parts[2], {.addend = {}, .rounded = true});
  }
  const Value result = b.linear(o, a.out);
  return addend ? b.add(addend, result) : result;
}

}  // namespace invar
