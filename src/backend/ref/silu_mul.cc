// The definition of silu_mul.
#include "backend/ops/silu_mul.h"

#include <algorithm>

#include "backend/ref/ref_backend.h"
#include "backend/ref/scalar.h"
#include "core/math.h"

namespace invar {

void RefBackend::run(const Stream& stream, const SiluMul& op) const {
  validate(op);
  if (stream.lane != 0) {
    return;
  }
  for (int64_t t = 0; t < op.out.rows; ++t) {
    for (int64_t i = 0; i < op.out.columns; ++i) {
      const double gate = op.gate.row<float>(t)[i];
      const double up = op.up.row<float>(t)[i];
      const double e = exp_f64(std::clamp(-gate, -700.0, 700.0));
      store_scalar(op.out, t, i, gate / (1.0 + e) * up);
    }
  }
}

}  // namespace invar
