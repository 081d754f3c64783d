// The definition of linear, in double.
#include "backend/ops/linear.h"

#include <vector>

#include "backend/ref/ref_backend.h"

namespace invar {
namespace {

// Row t of x as numbers.
std::vector<double> unpack_activations(const TensorView& x, int64_t t) {
  std::vector<double> values(static_cast<size_t>(x.columns));
  for (int64_t k = 0; k < x.columns; ++k) {
    if (x.dtype == DType::kF32) {
      values[k] = x.row<float>(t)[k];
    } else if (x.dtype == DType::kBF16) {
      values[k] = bf16_to_f32(x.row<uint16_t>(t)[k]);
    } else {
      const auto* scales = reinterpret_cast<const float*>(x.row<int8_t>(t) + x.columns);
      values[k] = static_cast<double>(x.row<int8_t>(t)[k]) * scales[k / 32];
    }
  }
  return values;
}

}  // namespace

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
