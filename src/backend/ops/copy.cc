// Checks and cost of copy.
#include "backend/ops/copy.h"

#include "backend/ops/operand_rule.h"

namespace invar {

void validate(const Copy& op) {
  const DType dtype[] = {op.x.dtype};
  check_operand({"copy", "x", dtype, op.x.rows, op.x.columns}, op.x);
  check_operand({"copy", "out", dtype, op.x.rows, op.x.columns}, op.out);
}

Cost cost(const Copy& op) {
  const int64_t bytes = op.x.rows * row_bytes(op.x.dtype, op.x.columns);
  return {.read_bytes = bytes, .write_bytes = bytes, .flops = 0};
}

}  // namespace invar
