// Checks and cost of gather_rows.
#include "backend/ops/gather_rows.h"

#include "backend/ops/operand_rule.h"

namespace invar {

void validate(const GatherRows& op) {
  const DType dtype[] = {op.x.dtype};
  check_operand({"gather_rows", "x", dtype, op.x.rows, op.x.columns}, op.x);
  check_operand({"gather_rows", "row_index", kOnlyI32, op.out.rows, 1}, op.row_index);
  check_operand({"gather_rows", "out", dtype, op.out.rows, op.x.columns}, op.out);
}

Cost cost(const GatherRows& op) {
  const int64_t bytes = op.out.rows * row_bytes(op.x.dtype, op.x.columns);
  return {.read_bytes = bytes + op.out.rows * 4, .write_bytes = bytes, .flops = 0};
}

}  // namespace invar
