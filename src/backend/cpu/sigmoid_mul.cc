// sigmoid_mul on the CPU: pieces of rows are dealt to the lanes.
#include "backend/ops/sigmoid_mul.h"

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/element_of.h"
#include "backend/cpu/row_pieces.h"

namespace invar {

void CpuBackend::run(const Stream& stream, const SigmoidMul& op) const {
  if (stream.lane == 0) {
    validate(op);
  }
  const bool gate_per_row = op.gate.columns == 1;
  const cpu::Element out_element = element_of(op.out.dtype);
  for_each_row_piece(stream, op.out.rows, op.out.columns, [&](const RowPiece& piece) {
    kernels_.sigmoid_mul(
        {.x = op.x.row<float>(piece.row) + piece.begin,
         .gate = op.gate.row<float>(piece.row) + (gate_per_row ? 0 : piece.begin),
         .gate_per_row = gate_per_row,
         .addend = op.addend ? op.addend.row<float>(piece.row) + piece.begin : nullptr,
         .out = op.out.row<std::byte>(piece.row) + row_bytes(op.out.dtype, piece.begin),
         .out_element = out_element,
         .count = piece.columns});
  });
}

}  // namespace invar
