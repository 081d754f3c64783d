// rope on the CPU: the heads of all rows are dealt to the lanes.
#include "backend/ops/rope.h"

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/row_pieces.h"

namespace invar {

void CpuBackend::run(const Stream& stream, const Rope& op) const {
  if (stream.lane == 0) {
    validate(op);
  }
  const int64_t head_dim = op.attributes.head_dim;
  const int64_t heads = op.x.columns / head_dim;
  const int64_t half = op.table.columns / 2;
  const LaneRange range = lane_range(stream, op.x.rows * heads);
  for_each_row_run(range, heads, [&](int64_t row, int64_t first, int64_t count) {
    const int64_t position = *op.positions.row<int32_t>(row);
    INVAR_CHECK(position >= 0 && position < op.table.rows, "rope: position {} of {}", position,
                op.table.rows);
    const float* angles = op.table.row<float>(position);
    kernels_.rope({.x = op.x.row<float>(row) + first * head_dim + op.attributes.first_column,
                   .cos = angles,
                   .sin = angles + half,
                   .heads = count,
                   .head_dim = head_dim,
                   .half = half});
  });
}

}  // namespace invar
