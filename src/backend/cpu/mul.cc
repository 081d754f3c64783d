// mul on the CPU: pieces of rows are dealt to the lanes.
#include "backend/ops/mul.h"

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/element_of.h"
#include "backend/cpu/row_pieces.h"

namespace invar {

void CpuBackend::run(const Stream& stream, const Mul& op) const {
  if (stream.lane == 0) {
    validate(op);
  }
  const cpu::Element out_element = element_of(op.out.dtype);
  for_each_row_piece(stream, op.out.rows, op.out.columns, [&](const RowPiece& piece) {
    kernels_.mul({.a = op.a.row<float>(piece.row) + piece.begin,
                  .b = op.b.row<float>(piece.row) + piece.begin,
                  .out = op.out.row<std::byte>(piece.row) + row_bytes(op.out.dtype, piece.begin),
                  .out_element = out_element,
                  .count = piece.columns});
  });
}

}  // namespace invar
