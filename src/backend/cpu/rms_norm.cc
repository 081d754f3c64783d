// rms_norm on the CPU: the groups of all rows are dealt to the lanes.
#include "backend/ops/rms_norm.h"

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/element_of.h"
#include "backend/cpu/row_pieces.h"

namespace invar {

void CpuBackend::run(const Stream& stream, const RmsNorm& op) const {
  if (stream.lane == 0) {
    validate(op);
  }
  const int64_t dim = op.weight.columns;
  const int64_t groups = op.out.columns / dim;
  const int64_t out_group_bytes = row_bytes(op.out.dtype, dim);
  cpu::RmsNormKernel args{.x = nullptr,
                          .x_stride = op.x.stride_bytes,
                          .weight = op.weight.row<float>(0),
                          .out = nullptr,
                          .out_stride = op.out.stride_bytes,
                          .out_element = element_of(op.out.dtype),
                          .rows = 0,
                          .dim = dim,
                          .eps = op.attributes.eps};
  const LaneRange range = lane_range(stream, op.out.rows * groups);
  if (groups == 1) {  // rows of the op are rows of the kernel
    args.x = op.x.row<float>(range.begin);
    args.out = op.out.row<std::byte>(range.begin);
    args.rows = range.end - range.begin;
    kernels_.rms_norm(args);
    return;
  }
  args.x_stride = dim * 4;
  args.out_stride = out_group_bytes;
  for_each_row_run(range, groups, [&](int64_t row, int64_t first, int64_t count) {
    args.x = op.x.row<float>(row) + first * dim;
    args.out = op.out.row<std::byte>(row) + first * out_group_bytes;
    args.rows = count;
    kernels_.rms_norm(args);
  });
}

}  // namespace invar
