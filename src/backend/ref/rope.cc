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
    const auto* positions = op.positions.row<int32_t>(t);
    for (int64_t i = 0; i < op.positions.columns; ++i) {
      INVAR_CHECK(positions[i] >= 0 && positions[i] < op.table.rows, "rope: position {} of {}",
                  positions[i], op.table.rows);
    }
    for (int64_t head = 0; head < op.x.columns; head += head_dim) {
      float* x = op.x.row<float>(t) + head + op.attributes.first_column;
      for (int64_t i = 0; i < half; ++i) {
        const auto* angles = op.table.row<float>(positions[rope_stream(op.attributes.sections, i)]);
        const double cos = angles[i];
        const double sin = angles[half + i];
        const double a = x[i];
        const double b = x[i + half];
        x[i] = static_cast<float>(a * cos - b * sin);
        x[i + half] = static_cast<float>(b * cos + a * sin);
      }
    }
  }
}

}  // namespace invar
