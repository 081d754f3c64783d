// Checks and cost of rms_norm.
#include "backend/ops/rms_norm.h"

#include "backend/ops/operand_rule.h"

namespace invar {

void validate(const RmsNorm& op) {
  const int64_t dim = op.weight.columns;
  const int64_t width = op.out.columns;
  INVAR_CHECK(dim > 0, "rms_norm: expected weight of at least 1 column, found {}", dim);
  INVAR_CHECK(width % dim == 0, "rms_norm: expected columns that are a multiple of {}, found {}",
              dim, width);
  check_operand({"rms_norm", "x", kOnlyF32, op.out.rows, width}, op.x);
  check_operand({"rms_norm", "weight", kOnlyF32, 1, dim}, op.weight);
  check_operand({"rms_norm", "out", kF32OrBF16, op.out.rows, width}, op.out);
}

Cost cost(const RmsNorm& op) {
  const int64_t count = op.out.rows * op.out.columns;
  return {.read_bytes = count * 4 + op.weight.columns * 4,
          .write_bytes = op.out.rows * row_bytes(op.out.dtype, op.out.columns),
          .flops = count * 4};
}

}  // namespace invar
