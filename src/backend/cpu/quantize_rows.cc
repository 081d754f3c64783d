// quantize_rows on the CPU: pieces of whole groups are dealt to the lanes.
#include "backend/ops/quantize_rows.h"

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/row_pieces.h"

namespace invar {

void CpuBackend::run(const Stream& stream, const QuantizeRows& op) const {
  if (stream.lane == 0) {
    validate(op);
  }
  static_assert(RowPieces::kColumns % 32 == 0, "a piece holds whole groups");
  const int64_t columns = op.x.columns;
  for_each_row_piece(stream, op.x.rows, columns, [&](const RowPiece& piece) {
    const int64_t group = piece.begin / 32;
    auto* q = op.out.row<int8_t>(piece.row);
    auto* scale = reinterpret_cast<float*>(q + columns);
    auto* q_sum = reinterpret_cast<int16_t*>(scale + columns / 32);
    kernels_.quantize_row({.x = op.x.row<float>(piece.row) + piece.begin,
                           .q = q + piece.begin,
                           .scale = scale + group,
                           .q_sum = q_sum + 2 * group,
                           .groups = piece.columns / 32});
  });
}

}  // namespace invar
