// rope on the CPU: the heads of all rows are dealt to the lanes.
#include "backend/ops/rope.h"

#include <algorithm>
#include <span>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/row_pieces.h"

namespace invar {
namespace {

const float* angles_at(const Rope& op, int64_t position) {
  INVAR_CHECK(position >= 0 && position < op.table.rows, "rope: position {} of {}", position,
              op.table.rows);
  return op.table.row<float>(position);
}

// The angles of a row: those of its position in the table, or put together in `mixed`.
const float* angles_of(const Rope& op, int64_t row, std::span<float> mixed) {
  const auto* positions = op.positions.row<int32_t>(row);
  const float* angles = angles_at(op, positions[0]);
  const int64_t half = op.table.columns / 2;
  for (int64_t stream = 1; stream < op.positions.columns; ++stream) {
    if (positions[stream] == positions[0]) {
      continue;
    }
    const float* others = angles_at(op, positions[stream]);
    if (angles != mixed.data()) {
      std::copy_n(angles, 2 * half, mixed.data());
      angles = mixed.data();
    }
    for (int64_t i = stream; i < half; i += kRopeStreams) {
      if (rope_stream(op.attributes.sections, i) == stream) {
        mixed[i] = others[i];
        mixed[half + i] = others[half + i];
      }
    }
  }
  return angles;
}

}  // namespace

void CpuBackend::run(const Stream& stream, const Rope& op) const {
  if (stream.lane == 0) {
    validate(op);
  }
  const int64_t head_dim = op.attributes.head_dim;
  const int64_t heads = op.x.columns / head_dim;
  const int64_t half = op.table.columns / 2;
  const LaneRange range = lane_range(stream, op.x.rows * heads);
  std::array<float, kRopeStreamColumnsMax> mixed;
  for_each_row_run(range, heads, [&](int64_t row, int64_t first, int64_t count) {
    const float* angles = angles_of(op, row, mixed);
    kernels_.rope({.x = op.x.row<float>(row) + first * head_dim + op.attributes.first_column,
                   .cos = angles,
                   .sin = angles + half,
                   .heads = count,
                   .head_dim = head_dim,
                   .half = half});
  });
}

}  // namespace invar
