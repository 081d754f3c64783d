// The definition of add.
#include "backend/ops/add.h"

#include "backend/ref/ref_backend.h"

namespace invar {

void RefBackend::run(const Stream& stream, const Add& op) const {
  validate(op);
  if (stream.lane != 0) {
    return;
  }
  for (int64_t t = 0; t < op.out.rows; ++t) {
    for (int64_t i = 0; i < op.out.columns; ++i) {
      op.out.row<float>(t)[i] = op.a.row<float>(t)[i] + op.b.row<float>(t)[i];
    }
  }
}

}  // namespace invar
