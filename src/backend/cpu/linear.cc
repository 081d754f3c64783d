// linear on the CPU: panels of outputs are dealt to the lanes; no sum is ever split.
#include "backend/ops/linear.h"

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/linear_kernel.h"

namespace invar {

void CpuBackend::run(const Stream& stream, const Linear& op) const {
  if (stream.lane == 0) {
    validate(op);
  }
  const PackedMatrix& weight = *op.attributes.weight;
  const cpu::LinearFunction kernel = linear_kernel(kernels_.linear(), weight.format, op.x.dtype);
  const LaneRange panels = lane_range(stream, weight.panels());
  kernel({.weight = weight.data,
          .columns = weight.columns,
          .outputs = weight.rows,
          .panel_begin = panels.begin,
          .panel_end = panels.end,
          .rows = op.out.rows,
          .x = op.x.row<std::byte>(0),
          .x_stride_bytes = op.x.stride_bytes,
          .bias = op.bias.row<float>(0),
          .addend = op.addend.row<std::byte>(0),
          .addend_stride_bytes = op.addend.stride_bytes,
          .out = op.out.row<std::byte>(0),
          .out_stride_bytes = op.out.stride_bytes});
}

}  // namespace invar
