// The definition of situ_mul.
#include "backend/ops/situ_mul.h"

#include "backend/ref/activation.h"
#include "backend/ref/ref_backend.h"
#include "backend/ref/scalar.h"

namespace invar {

void RefBackend::run(const Stream& stream, const SituMul& op) const {
  validate(op);
  if (stream.lane != 0) {
    return;
  }
  const double beta = op.attributes.beta;
  const double linear_beta = op.attributes.linear_beta;
  for (int64_t t = 0; t < op.out.rows; ++t) {
    for (int64_t i = 0; i < op.out.columns; ++i) {
      const double gate = load_scalar(op.gate, t, i);
      const double up = load_scalar(op.up, t, i);
      const double bounded = linear_beta == 0.0 ? up : linear_beta * tanh_f64(up / linear_beta);
      store_scalar(op.out, t, i, beta * tanh_f64(gate / beta) * sigmoid_f64(gate) * bounded);
    }
  }
}

}  // namespace invar
