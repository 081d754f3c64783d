// The definition of moe_combine.
#include "backend/ops/moe_combine.h"

#include "backend/ref/ref_backend.h"
#include "backend/ref/scalar.h"

namespace invar {

void RefBackend::run(const Stream& stream, const MoeCombine& op) const {
  validate(op);
  if (stream.lane != 0) {
    return;
  }
  const int64_t top_k = op.weights.columns;
  for (int64_t t = 0; t < op.out.rows; ++t) {
    for (int64_t i = 0; i < op.out.columns; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < top_k; ++j) {
        sum += load_scalar(op.weights, t, j) * load_scalar(op.y, t * top_k + j, i);
      }
      store_scalar(op.out, t, i, op.addend ? load_scalar(op.addend, t, i) + sum : sum);
    }
  }
}

}  // namespace invar
