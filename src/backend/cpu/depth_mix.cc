// depth_mix on the CPU: rows are dealt to the lanes.
#include "backend/ops/depth_mix.h"

#include "backend/cpu/cpu_backend.h"

namespace invar {

void CpuBackend::run(const Stream& stream, const DepthMix& op) const {
  static_assert(kDepthMixBanksMax + 1 == cpu::DepthMixKernel::kSourcesMax);
  if (stream.lane == 0) {
    validate(op);
  }
  const int64_t used = op.attributes.banks_used;
  const int64_t width = op.out.columns;
  cpu::DepthMixKernel args{.source = {},
                           .sources = static_cast<int>(used + 1),
                           .norm_weight = op.norm_weight.row<float>(0),
                           .query = op.query.row<float>(0),
                           .out = nullptr,
                           .width = width,
                           .eps = op.attributes.eps};
  const LaneRange range = lane_range(stream, op.out.rows);
  for (int64_t t = range.begin; t < range.end; ++t) {
    for (int64_t j = 0; j < used; ++j) {
      args.source[j] = op.banks.row<float>(t) + j * width;
    }
    args.source[used] = op.running.row<float>(t);
    args.out = op.out.row<float>(t);
    kernels_.depth_mix(args);
  }
}

}  // namespace invar
