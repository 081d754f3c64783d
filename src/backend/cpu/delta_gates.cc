// delta_gates on the CPU: rows are dealt to the lanes.
#include "backend/ops/delta_gates.h"

#include "backend/cpu/cpu_backend.h"

namespace invar {

void CpuBackend::run(const Stream& stream, const DeltaGates& op) const {
  if (stream.lane == 0) {
    validate(op);
  }
  const DeltaGates::Attributes& a = op.attributes;
  const LaneRange range = lane_range(stream, op.beta.rows);
  for (int64_t t = range.begin; t < range.end; ++t) {
    kernels_.delta_gates({.a = op.a.row<float>(t),
                          .b = op.b.row<float>(t),
                          .a_log = op.a_log.row<float>(0),
                          .dt_bias = op.dt_bias.row<float>(0),
                          .log_decay = op.log_decay.row<float>(t),
                          .beta = op.beta.row<float>(t),
                          .heads = a.heads,
                          .width = op.log_decay.columns / a.heads,
                          .bounded = a.bounded,
                          .lower_bound = a.lower_bound});
  }
}

}  // namespace invar
