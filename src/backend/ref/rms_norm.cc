// The definition of rms_norm.
#include "backend/ops/rms_norm.h"

#include "backend/ref/ref_backend.h"
#include "backend/ref/scalar.h"

namespace invar {

void RefBackend::run(const Stream& stream, const RmsNorm& op) const {
  validate(op);
  if (stream.lane != 0) {
    return;
  }
  const int64_t dim = op.weight.columns;
  for (int64_t t = 0; t < op.out.rows; ++t) {
    for (int64_t group = 0; group < op.out.columns; group += dim) {
      const float* x = op.x.row<float>(t) + group;
      double sum = 0.0;
      for (int64_t i = 0; i < dim; ++i) {
        sum += static_cast<double>(x[i]) * x[i];
      }
      const double rms = __builtin_sqrt(sum / static_cast<double>(dim) + op.attributes.eps);
      for (int64_t i = 0; i < dim; ++i) {
        store_scalar(op.out, t, group + i, x[i] / rms * op.weight.row<float>(0)[i]);
      }
    }
  }
}

}  // namespace invar
