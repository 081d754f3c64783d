// The definition of delta_gates.
#include "backend/ops/delta_gates.h"

#include <algorithm>

#include "backend/ref/activation.h"
#include "backend/ref/ref_backend.h"
#include "backend/ref/scalar.h"
#include "core/math.h"

namespace invar {

void RefBackend::run(const Stream& stream, const DeltaGates& op) const {
  validate(op);
  if (stream.lane != 0) {
    return;
  }
  const DeltaGates::Attributes& a = op.attributes;
  const int64_t width = op.log_decay.columns / a.heads;
  for (int64_t t = 0; t < op.beta.rows; ++t) {
    for (int64_t i = 0; i < op.log_decay.columns; ++i) {
      const double rate = exp_clamped_f64(load_scalar(op.a_log, 0, i / width));
      const double z = load_scalar(op.a, t, i) + load_scalar(op.dt_bias, 0, i);
      const double decay =
          a.bounded ? a.lower_bound * sigmoid_f64(rate * z) : -rate * softplus_f64(z);
      store_scalar(op.log_decay, t, i, std::max<double>(decay, kLogDecayMin));
    }
    for (int64_t h = 0; h < a.heads; ++h) {
      store_scalar(op.beta, t, h, sigmoid_f64(load_scalar(op.b, t, h)));
    }
  }
}

}  // namespace invar
