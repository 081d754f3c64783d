// Checks and cost of quantize_rows.
#include "backend/ops/quantize_rows.h"

#include "backend/ops/operand_rule.h"

namespace invar {

void validate(const QuantizeRows& op) {
  const int64_t columns = op.x.columns;
  INVAR_CHECK(columns % 32 == 0,
              "quantize_rows: expected columns that are a multiple of 32, found {}", columns);
  check_operand({"quantize_rows", "x", kOnlyF32, op.out.rows, columns}, op.x);
  check_operand({"quantize_rows", "out", kOnlyQ8, op.out.rows, columns}, op.out);
}

Cost cost(const QuantizeRows& op) {
  const int64_t count = op.x.rows * op.x.columns;
  return {.read_bytes = count * 4,
          .write_bytes = op.out.rows * row_bytes(DType::kQ8Row, op.out.columns),
          .flops = count * 3};
}

}  // namespace invar
