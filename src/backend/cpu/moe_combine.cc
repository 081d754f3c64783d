// moe_combine on the CPU: pieces of rows are dealt to the lanes.
#include "backend/ops/moe_combine.h"

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/element_of.h"
#include "backend/cpu/row_pieces.h"

namespace invar {

void CpuBackend::run(const Stream& stream, const MoeCombine& op) const {
  if (stream.lane == 0) {
    validate(op);
  }
  const int64_t top_k = op.weights.columns;
  const cpu::Element out_element = element_of(op.out.dtype);
  for_each_row_piece(stream, op.out.rows, op.out.columns, [&](const RowPiece& piece) {
    kernels_.moe_combine(
        {.y = op.y.row<float>(piece.row * top_k) + piece.begin,
         .y_stride = op.y.stride_bytes,
         .weights = op.weights.row<float>(piece.row),
         .terms = top_k,
         .addend = op.addend ? op.addend.row<float>(piece.row) + piece.begin : nullptr,
         .out = op.out.row<std::byte>(piece.row) + row_bytes(op.out.dtype, piece.begin),
         .out_element = out_element,
         .count = piece.columns});
  });
}

}  // namespace invar
