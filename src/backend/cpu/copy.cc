// copy on the CPU: rows are dealt to the lanes.
#include "backend/ops/copy.h"

#include <cstring>

#include "backend/cpu/cpu_backend.h"

namespace invar {

void CpuBackend::run(const Stream& stream, const Copy& op) const {
  if (stream.lane == 0) {
    validate(op);
  }
  const int64_t bytes = row_bytes(op.x.dtype, op.x.columns);
  const LaneRange range = lane_range(stream, op.x.rows);
  for (int64_t t = range.begin; t < range.end; ++t) {
    std::memcpy(op.out.row<std::byte>(t), op.x.row<std::byte>(t), bytes);
  }
}

}  // namespace invar
