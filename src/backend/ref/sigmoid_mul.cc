// The definition of sigmoid_mul.
#include "backend/ops/sigmoid_mul.h"

#include "backend/ref/activation.h"
#include "backend/ref/ref_backend.h"
#include "backend/ref/scalar.h"

namespace invar {

void RefBackend::run(const Stream& stream, const SigmoidMul& op) const {
  validate(op);
  if (stream.lane != 0) {
    return;
  }
  for (int64_t t = 0; t < op.out.rows; ++t) {
    for (int64_t i = 0; i < op.out.columns; ++i) {
      const double gate = load_scalar(op.gate, t, op.gate.columns == 1 ? 0 : i);
      const double product = load_scalar(op.x, t, i) * sigmoid_f64(gate);
      store_scalar(op.out, t, i, op.addend ? load_scalar(op.addend, t, i) + product : product);
    }
  }
}

}  // namespace invar
