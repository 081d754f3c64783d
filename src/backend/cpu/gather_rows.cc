// gather_rows on the CPU: wanted rows are dealt to the lanes.
#include "backend/ops/gather_rows.h"

#include <cstring>

#include "backend/cpu/cpu_backend.h"

namespace invar {

void CpuBackend::run(const Stream& stream, const GatherRows& op) const {
  if (stream.lane == 0) {
    validate(op);
  }
  const int64_t bytes = row_bytes(op.x.dtype, op.x.columns);
  const LaneRange range = lane_range(stream, op.out.rows);
  for (int64_t i = range.begin; i < range.end; ++i) {
    const int64_t source = *op.row_index.row<int32_t>(i);
    INVAR_CHECK(source >= 0 && source < op.x.rows, "gather_rows: row {} of {}", source, op.x.rows);
    std::memcpy(op.out.row<std::byte>(i), op.x.row<std::byte>(source), bytes);
  }
}

}  // namespace invar
