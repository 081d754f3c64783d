// Checks and cost of sigmoid_mul.
#include "backend/ops/sigmoid_mul.h"

#include "backend/ops/operand_rule.h"

namespace invar {

void validate(const SigmoidMul& op) {
  const int64_t rows = op.out.rows;
  const int64_t width = op.out.columns;
  check_operand({"sigmoid_mul", "x", kOnlyF32, rows, width}, op.x);
  const int64_t gate_width = op.gate.columns == 1 ? 1 : width;
  check_operand({"sigmoid_mul", "gate", kOnlyF32, rows, gate_width}, op.gate);
  if (op.addend) {
    check_operand({"sigmoid_mul", "addend", kOnlyF32, rows, width}, op.addend);
  }
  check_operand({"sigmoid_mul", "out", kF32OrBF16, rows, width}, op.out);
}

Cost cost(const SigmoidMul& op) {
  const int64_t rows = op.out.rows;
  const int64_t count = rows * op.out.columns;
  constexpr int64_t kFlopsEach = 20;  // exp's polynomial and reduction, a division, a product
  return {.read_bytes = (count * (op.addend ? 2 : 1) + rows * op.gate.columns) * 4,
          .write_bytes = rows * row_bytes(op.out.dtype, op.out.columns),
          .flops = rows * op.gate.columns * kFlopsEach + count};
}

}  // namespace invar
