// gated_rms_norm on the CPU: the groups of all rows are dealt to the lanes.
#include "backend/ops/gated_rms_norm.h"

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/element_of.h"

namespace invar {

void CpuBackend::run(const Stream& stream, const GatedRmsNorm& op) const {
  if (stream.lane == 0) {
    validate(op);
  }
  const GatedRmsNorm::Attributes& a = op.attributes;
  const int64_t groups = op.out.columns / a.dim;
  const cpu::Element out_element = element_of(op.out.dtype);
  const LaneRange range = lane_range(stream, op.out.rows * groups);
  for (int64_t item = range.begin; item < range.end; ++item) {
    const int64_t row = item / groups;
    const int64_t begin = item % groups * a.dim;
    kernels_.gated_rms_norm({.x = op.x.row<float>(row) + begin,
                             .gate = op.gate.row<float>(row) + begin,
                             .weight = op.weight.row<float>(0) + begin % op.weight.columns,
                             .out = op.out.row<std::byte>(row) + row_bytes(op.out.dtype, begin),
                             .out_element = out_element,
                             .dim = a.dim,
                             .eps = a.eps,
                             .gate_first = a.gate_first,
                             .silu = a.silu});
  }
}

}  // namespace invar
