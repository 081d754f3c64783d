// The definition of expert_linear, in double.
#include "backend/ops/expert_linear.h"

#include "backend/ref/ref_backend.h"
#include "backend/ref/unpack_activations.h"

namespace invar {

void RefBackend::run(const Stream& stream, const ExpertLinear& op) const {
  validate(op);
  if (stream.lane != 0) {
    return;
  }
  const PackedMatrix& weight = *op.attributes.weight;
  const int64_t top_k = op.ids.columns;
  const int64_t outputs = op.out.columns;
  std::vector<float> weight_row(static_cast<size_t>(weight.columns));
  for (int64_t pair = 0; pair < op.out.rows; ++pair) {
    const int64_t t = pair / top_k;
    const int64_t expert = op.ids.row<int32_t>(t)[pair % top_k];
    const std::vector<double> x = unpack_activations(op.x, op.x.rows == op.out.rows ? pair : t);
    for (int64_t n = 0; n < outputs; ++n) {
      weight_format_info(weight.format).unpack_row(weight, expert * outputs + n, weight_row.data());
      double sum = 0;
      for (int64_t k = 0; k < weight.columns; ++k) {
        sum += x[k] * weight_row[k];
      }
      op.out.row<float>(pair)[n] = static_cast<float>(sum);
    }
  }
}

}  // namespace invar
