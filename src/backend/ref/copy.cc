// The definition of copy.
#include "backend/ops/copy.h"

#include <cstring>

#include "backend/ref/ref_backend.h"

namespace invar {

void RefBackend::run(const Stream& stream, const Copy& op) const {
  validate(op);
  if (stream.lane != 0) {
    return;
  }
  for (int64_t t = 0; t < op.x.rows; ++t) {
    std::memcpy(op.out.row<std::byte>(t), op.x.row<std::byte>(t),
                row_bytes(op.x.dtype, op.x.columns));
  }
}

}  // namespace invar
