// situ_mul on the CPU: pieces of rows are dealt to the lanes.
#include "backend/ops/situ_mul.h"

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/element_of.h"
#include "backend/cpu/row_pieces.h"

namespace invar {

void CpuBackend::run(const Stream& stream, const SituMul& op) const {
  if (stream.lane == 0) {
    validate(op);
  }
  const cpu::Element out_element = element_of(op.out.dtype);
  const RowPieces pieces(op.out.rows, op.out.columns);
  const LaneRange range = lane_range(stream, pieces.count());
  for (int64_t item = range.begin; item < range.end; ++item) {
    const RowPiece piece = pieces[item];
    kernels_.situ_mul(
        {.gate = op.gate.row<float>(piece.row) + piece.begin,
         .up = op.up.row<float>(piece.row) + piece.begin,
         .out = op.out.row<std::byte>(piece.row) + row_bytes(op.out.dtype, piece.begin),
         .out_element = out_element,
         .count = piece.columns,
         .beta = op.attributes.beta,
         .linear_beta = op.attributes.linear_beta});
  }
}

}  // namespace invar
