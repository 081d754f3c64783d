// Checks and cost of mul.
#include "backend/ops/mul.h"

#include "backend/ops/operand_rule.h"

namespace invar {

void validate(const Mul& op) {
  const int64_t rows = op.out.rows;
  const int64_t width = op.out.columns;
  check_operand({"mul", "a", kOnlyF32, rows, width}, op.a);
  check_operand({"mul", "b", kOnlyF32, rows, width}, op.b);
  check_operand({"mul", "out", kF32OrBF16, rows, width}, op.out);
}

Cost cost(const Mul& op) {
  const int64_t count = op.out.rows * op.out.columns;
  return {.read_bytes = count * 8,
          .write_bytes = op.out.rows * row_bytes(op.out.dtype, op.out.columns),
          .flops = count};
}

}  // namespace invar
