// Checks and cost of add.
#include "backend/ops/add.h"

#include "backend/ops/operand_rule.h"

namespace invar {

void validate(const Add& op) {
  const int64_t rows = op.out.rows;
  const int64_t width = op.out.columns;
  check_operand({"add", "a", kOnlyF32, rows, width}, op.a);
  check_operand({"add", "b", kOnlyF32, rows, width}, op.b);
  check_operand({"add", "out", kOnlyF32, rows, width}, op.out);
}

Cost cost(const Add& op) {
  const int64_t count = op.out.rows * op.out.columns;
  return {.read_bytes = count * 8, .write_bytes = count * 4, .flops = count};
}

}  // namespace invar
