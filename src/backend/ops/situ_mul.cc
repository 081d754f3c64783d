// Checks and cost of situ_mul.
#include "backend/ops/situ_mul.h"

#include "backend/ops/operand_rule.h"

namespace invar {

void validate(const SituMul& op) {
  const int64_t rows = op.out.rows;
  const int64_t width = op.out.columns;
  INVAR_CHECK(op.attributes.beta > 0 && op.attributes.linear_beta >= 0,
              "situ_mul: expected a positive beta and linear_beta of at least 0, found {} and {}",
              op.attributes.beta, op.attributes.linear_beta);
  check_operand({"situ_mul", "gate", kOnlyF32, rows, width}, op.gate);
  check_operand({"situ_mul", "up", kOnlyF32, rows, width}, op.up);
  check_operand({"situ_mul", "out", kF32OrBF16, rows, width}, op.out);
}

Cost cost(const SituMul& op) {
  const int64_t count = op.out.rows * op.out.columns;
  constexpr int64_t kFlopsEach = 90;  // three exponentials and two series
  return {.read_bytes = count * 8,
          .write_bytes = op.out.rows * row_bytes(op.out.dtype, op.out.columns),
          .flops = count * kFlopsEach};
}

}  // namespace invar
