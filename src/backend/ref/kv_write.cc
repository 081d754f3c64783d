// The definition of kv_write.
#include "backend/ops/kv_write.h"

#include "backend/ops/kv_place.h"
#include "backend/ref/ref_backend.h"
#include "backend/ref/scalar.h"

namespace invar {

void RefBackend::run(const Stream& stream, const KvWrite& op) const {
  validate(op);
  if (stream.lane != 0) {
    return;
  }
  const int64_t head_dim = op.attributes.head_dim;
  for (int64_t t = 0; t < op.k.rows; ++t) {
    const KvPlace place = kv_place(op, t);
    if (!is_written(op, t)) {
      continue;
    }
    for (int64_t head = 0; head < op.attributes.kv_heads; ++head) {
      const int64_t begin = head * head_dim * kKvBlockRows;
      for (int64_t d = 0; d < head_dim; ++d) {
        const int64_t k_index = begin + d * kKvBlockRows + place.place;
        store_scalar(op.k_cache, place.kv_block, k_index, op.k.row<float>(t)[head * head_dim + d]);
        if (op.v) {
          const int64_t v_index = begin + place.place * head_dim + d;
          store_scalar(op.v_cache, place.kv_block, v_index,
                       op.v.row<float>(t)[head * head_dim + d]);
        }
      }
    }
  }
}

}  // namespace invar
