// kv_write on the CPU: the kv heads of all rows are dealt to the lanes.
#include "backend/ops/kv_write.h"

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/element_of.h"
#include "backend/cpu/row_pieces.h"
#include "backend/ops/kv_place.h"

namespace invar {

void CpuBackend::run(const Stream& stream, const KvWrite& op) const {
  if (stream.lane == 0) {
    validate(op);
  }
  const int64_t kv_heads = op.attributes.kv_heads;
  const int64_t head_dim = op.attributes.head_dim;
  const int64_t element_bytes = row_bytes(op.k_cache.dtype, 1);
  const int64_t head_bytes = head_dim * kKvBlockRows * element_bytes;
  const cpu::Element element = element_of(op.k_cache.dtype);
  const LaneRange range = lane_range(stream, op.k.rows * kv_heads);
  for_each_row_run(range, kv_heads, [&](int64_t row, int64_t first, int64_t count) {
    const KvPlace place = kv_place(op, row);
    if (!is_written(op, row)) {
      return;
    }
    for (int64_t head = first; head < first + count; ++head) {
      cpu::KvWriteKernel args{.k = op.k.row<float>(row) + head * head_dim,
                              .v = nullptr,
                              .k_cache = op.k_cache.row<std::byte>(place.kv_block) +
                                         head * head_bytes + place.place * element_bytes,
                              .v_cache = nullptr,
                              .cache_element = element,
                              .head_dim = head_dim};
      if (op.v) {
        args.v = op.v.row<float>(row) + head * head_dim;
        args.v_cache = op.v_cache.row<std::byte>(place.kv_block) + head * head_bytes +
                       place.place * head_dim * element_bytes;
      }
      kernels_.kv_write(args);
    }
  });
}

}  // namespace invar
