// Checks and cost of moe_combine.
#include "backend/ops/moe_combine.h"

#include "backend/ops/operand_rule.h"

namespace invar {

void validate(const MoeCombine& op) {
  const int64_t rows = op.out.rows;
  const int64_t width = op.out.columns;
  const int64_t top_k = op.weights.columns;
  check_operand({"moe_combine", "y", kOnlyF32, rows * top_k, width}, op.y);
  check_operand({"moe_combine", "weights", kOnlyF32, rows, top_k}, op.weights);
  if (op.addend) {
    check_operand({"moe_combine", "addend", kOnlyF32, rows, width}, op.addend);
  }
  check_operand({"moe_combine", "out", kF32OrBF16, rows, width}, op.out);
}

Cost cost(const MoeCombine& op) {
  const int64_t terms = op.y.rows * op.y.columns;
  const int64_t outputs = op.out.rows * op.out.columns;
  return {.read_bytes = (terms + op.y.rows + (op.addend ? outputs : 0)) * 4,
          .write_bytes = op.out.rows * row_bytes(op.out.dtype, op.out.columns),
          .flops = 2 * terms + (op.addend ? outputs : 0)};
}

}  // namespace invar
