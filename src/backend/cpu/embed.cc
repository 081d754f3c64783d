// embed on the CPU: rows are dealt to the lanes.
#include "backend/ops/embed.h"

#include "backend/cpu/cpu_backend.h"

namespace invar {

void CpuBackend::run(const Stream& stream, const Embed& op) const {
  if (stream.lane == 0) {
    validate(op);
  }
  const PackedMatrix& weight = *op.attributes.weight;
  const WeightFormatInfo& format = weight_format_info(weight.format);
  const LaneRange range = lane_range(stream, op.out.rows);
  for (int64_t t = range.begin; t < range.end; ++t) {
    const int64_t token = *op.token_ids.row<int32_t>(t);
    INVAR_CHECK(token >= 0 && token < weight.rows, "embed: token {} of {}", token, weight.rows);
    format.unpack_row(weight, token, op.out.row<float>(t));
  }
}

}  // namespace invar
