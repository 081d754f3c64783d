// Checks and cost of gated_rms_norm.
#include "backend/ops/gated_rms_norm.h"

#include "backend/ops/operand_rule.h"

namespace invar {

void validate(const GatedRmsNorm& op) {
  const int64_t dim = op.attributes.dim;
  const int64_t rows = op.out.rows;
  const int64_t width = op.out.columns;
  INVAR_CHECK(dim > 0 && width % dim == 0,
              "gated_rms_norm: expected columns that are a multiple of {}, found {}", dim, width);
  check_operand({"gated_rms_norm", "x", kOnlyF32, rows, width}, op.x);
  check_operand({"gated_rms_norm", "gate", kOnlyF32, rows, width}, op.gate);
  check_operand({"gated_rms_norm", "weight", kOnlyF32, 1, op.weight.columns == dim ? dim : width},
                op.weight);
  check_operand({"gated_rms_norm", "out", kF32OrBF16, rows, width}, op.out);
}

Cost cost(const GatedRmsNorm& op) {
  const int64_t count = op.out.rows * op.out.columns;
  return {.read_bytes = count * 8 + op.weight.columns * 4,
          .write_bytes = op.out.rows * row_bytes(op.out.dtype, op.out.columns),
          .flops = count * 25};
}

}  // namespace invar
