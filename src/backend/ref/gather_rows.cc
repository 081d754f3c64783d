// The definition of gather_rows.
#include "backend/ops/gather_rows.h"

#include <cstring>

#include "backend/ref/ref_backend.h"

namespace invar {

void RefBackend::run(const Stream& stream, const GatherRows& op) const {
  validate(op);
  if (stream.lane != 0) {
    return;
  }
  const int64_t bytes = row_bytes(op.x.dtype, op.x.columns);
  for (int64_t i = 0; i < op.out.rows; ++i) {
    const int64_t source = *op.row_index.row<int32_t>(i);
    INVAR_CHECK(source >= 0 && source < op.x.rows, "gather_rows: row {} of {}", source, op.x.rows);
    std::memcpy(op.out.row<std::byte>(i), op.x.row<std::byte>(source), bytes);
  }
}

}  // namespace invar
