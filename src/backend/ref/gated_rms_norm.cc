// The definition of gated_rms_norm.
#include "backend/ops/gated_rms_norm.h"

#include <vector>

#include "backend/ref/activation.h"
#include "backend/ref/ref_backend.h"
#include "backend/ref/scalar.h"

namespace invar {

void RefBackend::run(const Stream& stream, const GatedRmsNorm& op) const {
  validate(op);
  if (stream.lane != 0) {
    return;
  }
  const GatedRmsNorm::Attributes& a = op.attributes;
  std::vector<double> y(a.dim);
  for (int64_t t = 0; t < op.out.rows; ++t) {
    for (int64_t begin = 0; begin < op.out.columns; begin += a.dim) {
      double sum = 0.0;
      for (int64_t i = 0; i < a.dim; ++i) {
        const double gate = load_scalar(op.gate, t, begin + i);
        const double activated = a.silu ? silu_f64(gate) : sigmoid_f64(gate);
        const double x = load_scalar(op.x, t, begin + i);
        y[i] = x * activated;
        const double normed = a.gate_first ? y[i] : x;
        sum += normed * normed;
      }
      const double rms = __builtin_sqrt(sum / static_cast<double>(a.dim) + a.eps);
      for (int64_t i = 0; i < a.dim; ++i) {
        const double weight = load_scalar(op.weight, 0, (begin + i) % op.weight.columns);
        store_scalar(op.out, t, begin + i, y[i] / rms * weight);
      }
    }
  }
}

}  // namespace invar
