// Checks and cost of silu_mul.
#include "backend/ops/silu_mul.h"

#include "backend/ops/operand_rule.h"

namespace invar {

void validate(const SiluMul& op) {
  const int64_t rows = op.out.rows;
  const int64_t width = op.out.columns;
  check_operand({"silu_mul", "gate", kOnlyF32, rows, width}, op.gate);
  check_operand({"silu_mul", "up", kOnlyF32, rows, width}, op.up);
  check_operand({"silu_mul", "out", kF32OrBF16, rows, width}, op.out);
}

Cost cost(const SiluMul& op) {
  const int64_t count = op.out.rows * op.out.columns;
  constexpr int64_t kFlopsEach = 20;  // exp's polynomial and reduction, a division, two products
  return {.read_bytes = count * 8,
          .write_bytes = op.out.rows * row_bytes(op.out.dtype, op.out.columns),
          .flops = count * kFlopsEach};
}

}  // namespace invar
