// The definition of linear, in double.
#include "backend/ops/linear.h"

#include "backend/ref/ref_backend.h"
#include "backend/ref/unpack_activations.h"

namespace invar {
void RefBackend::run(const Stream& stream, const Linear& op) const {
  validate(op);
  if (stream.lane != 0) {
    return;
  }
  const PackedMatrix& weight = *op.attributes.weight;
  std::vector<std::vector<double>> x;
  for (int64_t t = 0; t < op.out.rows; ++t) {
    x.push_back(unpack_activations(op.x, t));
  }
  std::vector<float> weight_row(static_cast<size_t>(weight.columns));
  for (int64_t n = 0; n < weight.rows; ++n) {
    weight_format_info(weight.format).unpack_row(weight, n, weight_row.data());
    for (int64_t t = 0; t < op.out.rows; ++t) {
      double sum = 0;
      for (int64_t k = 0; k < weight.columns; ++k) {
        sum += x[t][k] * weight_row[k];
      }
      sum += op.bias ? op.bias.row<float>(0)[n] : 0.0f;
      sum += op.addend ? op.addend.row<float>(t)[n] : 0.0f;
      op.out.row<float>(t)[n] = static_cast<float>(sum);
    }
  }
}

}  // namespace invar
