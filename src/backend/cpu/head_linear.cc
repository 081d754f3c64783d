// head_linear on the CPU: the panels of all heads are dealt to the lanes, and linear's kernel runs
// on each head's part of them. Kept columns go with a head's first panel.
#include "backend/ops/head_linear.h"

#include <algorithm>
#include <cstring>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/linear_kernel.h"
#include "backend/cpu/row_pieces.h"

namespace invar {
namespace {

// Columns behind the outputs: kept ones, then zeros.
void fill_rest(const HeadLinear& op, int64_t head) {
  const HeadLinearAttributes& a = op.attributes;
  const int64_t x_columns = op.x.columns / a.heads;
  const int64_t out_columns = op.out.columns / a.heads;
  for (int64_t t = 0; t < op.out.rows; ++t) {
    const float* kept = op.x.row<float>(t) + head * x_columns + a.weight->columns;
    float* out = op.out.row<float>(t) + head * out_columns + a.outputs;
    std::copy_n(kept, a.kept, out);
    std::fill(out + a.kept, out + out_columns - a.outputs, 0.0f);
  }
}

}  // namespace

void CpuBackend::run(const Stream& stream, const HeadLinear& op) const {
  if (stream.lane == 0) {
    validate(op);
  }
  const HeadLinearAttributes& a = op.attributes;
  const PackedMatrix& weight = *a.weight;
  const int64_t head_panels = weight.panels() / a.heads;
  const int64_t head_bytes = head_panels * panel_bytes(weight.format, weight.columns);
  const cpu::LinearFunction kernel = linear_kernel(kernels_.linear(), weight.format, op.x.dtype);
  const LaneRange range = lane_range(stream, weight.panels());
  for_each_row_run(range, head_panels, [&](int64_t head, int64_t first, int64_t count) {
    if (first == 0) {
      fill_rest(op, head);
    }
    kernel({.weight = weight.data + head * head_bytes,
            .columns = weight.columns,
            .outputs = a.outputs,
            .panel_begin = first,
            .panel_end = first + count,
            .rows = op.out.rows,
            .x = op.x.row<std::byte>(0) + head * (op.x.columns / a.heads) * 4,
            .x_stride_bytes = op.x.stride_bytes,
            .out = op.out.row<std::byte>(0) + head * (op.out.columns / a.heads) * 4,
            .out_stride_bytes = op.out.stride_bytes});
  });
}

}  // namespace invar
