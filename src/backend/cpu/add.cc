// add on the CPU: pieces of rows are dealt to the lanes, so that one long row is shared too.
#include "backend/ops/add.h"

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/row_pieces.h"

namespace invar {

void CpuBackend::run(const Stream& stream, const Add& op) const {
  if (stream.lane == 0) {
    validate(op);
  }
  for_each_row_piece(stream, op.out.rows, op.out.columns, [&](const RowPiece& piece) {
    kernels_.add({.a = op.a.row<float>(piece.row) + piece.begin,
                  .b = op.b.row<float>(piece.row) + piece.begin,
                  .out = op.out.row<float>(piece.row) + piece.begin,
                  .count = piece.columns});
  });
}

}  // namespace invar
