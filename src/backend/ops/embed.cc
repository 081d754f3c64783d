// Checks and cost of embed.
#include "backend/ops/embed.h"

#include "backend/ops/operand_rule.h"

namespace invar {

void validate(const Embed& op) {
  const PackedMatrix* weight = op.attributes.weight;
  INVAR_CHECK(weight != nullptr, "embed: expected a weight, found none");
  INVAR_CHECK(weight->data != nullptr || weight->rows == 0, "embed: expected a packed weight");
  const int64_t rows = op.out.rows;
  check_operand({"embed", "token_ids", kOnlyI32, rows, 1}, op.token_ids);
  check_operand({"embed", "out", kOnlyF32, rows, weight->columns}, op.out);
}

Cost cost(const Embed& op) {
  const PackedMatrix& weight = *op.attributes.weight;
  const int64_t row_read_bytes = panel_bytes(weight.format, weight.columns) / kPanelRows;
  return {.read_bytes = op.out.rows * (row_read_bytes + 4),
          .write_bytes = op.out.rows * weight.columns * 4,
          .flops = 2 * op.out.rows * weight.columns};
}

}  // namespace invar
