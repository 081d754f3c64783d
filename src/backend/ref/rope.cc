// The definition of rope.
#include "backend/ops/rope.h"

#include "backend/ref/ref_backend.h"

namespace invar {

void RefBackend::run(const Stream& stream, const Rope& op) const {
  validate(op);
  if (stream.lane != 0) {
    return;
  }
  const int64_t head_dim = op.attributes.head_dim;
  const int64_t half = op.table.columns / 2;
  for (int64_t t = 0; t < op.x.rows; ++t) {
    const int64_t position = *op.positions.row<int32_t>(t);
    INVAR_CHECK(position >= 0 && position < op.table.rows, "rope: position {} of {}", position,
                op.table.rows);
    const float* cos = op.table.row<float>(position);
    const float* sin = cos + half;
    for (int64_t head = 0; head < op.x.columns; head += head_dim) {
      float* x = op.x.row<float>(t) + head + op.attributes.first_column;
      for (int64_t i = 0; i < half; ++i) {
        const double a = x[i];
        const double b = x[i + half];
        x[i] = static_cast<float>(a * cos[i] - b * sin[i]);
        x[i + half] = static_cast<float>(b * cos[i] + a * sin[i]);
      }
    }
  }
}

}  // namespace invar
