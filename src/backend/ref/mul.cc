// The definition of mul.
#include "backend/ops/mul.h"

#include "backend/ref/ref_backend.h"
#include "backend/ref/scalar.h"

namespace invar {

void RefBackend::run(const Stream& stream, const Mul& op) const {
  validate(op);
  if (stream.lane != 0) {
    return;
  }
  for (int64_t t = 0; t < op.out.rows; ++t) {
    for (int64_t i = 0; i < op.out.columns; ++i) {
      store_scalar(op.out, t, i, load_scalar(op.a, t, i) * load_scalar(op.b, t, i));
    }
  }
}

}  // namespace invar
