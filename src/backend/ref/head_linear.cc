// The definition of head_linear, in double.
#include "backend/ops/head_linear.h"

#include <vector>

#include "backend/ref/ref_backend.h"

namespace invar {
namespace {

// Column n of head h of row t.
double output(const HeadLinear& op, int64_t t, int64_t h, int64_t n) {
  const HeadLinearAttributes& a = op.attributes;
  const PackedMatrix& weight = *a.weight;
  const float* x = op.x.row<float>(t) + h * (op.x.columns / a.heads);
  if (n >= a.outputs) {
    return n < a.outputs + a.kept ? x[weight.columns + n - a.outputs] : 0.0;
  }
  std::vector<float> weight_row(static_cast<size_t>(weight.columns));
  weight_format_info(weight.format)
      .unpack_row(weight, h * head_matrix_rows(a.outputs) + n, weight_row.data());
  double sum = 0;
  for (int64_t k = 0; k < weight.columns; ++k) {
    sum += static_cast<double>(x[k]) * weight_row[k];
  }
  return sum;
}

}  // namespace

void RefBackend::run(const Stream& stream, const HeadLinear& op) const {
  validate(op);
  if (stream.lane != 0) {
    return;
  }
  const int64_t head_columns = op.out.columns / op.attributes.heads;
  for (int64_t t = 0; t < op.out.rows; ++t) {
    for (int64_t column = 0; column < op.out.columns; ++column) {
      op.out.row<float>(t)[column] =
          static_cast<float>(output(op, t, column / head_columns, column % head_columns));
    }
  }
}

}  // namespace invar
