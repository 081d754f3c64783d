// Checks and cost of expert_linear.
#include "backend/ops/expert_linear.h"

#include "backend/ops/moe_route.h"
#include "backend/ops/operand_rule.h"

namespace invar {

void validate(const ExpertLinear& op) {
  const PackedMatrix* weight = op.attributes.weight;
  const int64_t experts = op.attributes.experts;
  INVAR_CHECK(weight != nullptr && weight->data != nullptr,
              "expert_linear: expected a packed weight, found none");
  INVAR_CHECK(experts >= 1 && experts <= kMoeExpertsMax && weight->rows % experts == 0 &&
                  weight->rows / experts % kPanelRows == 0,
              "expert_linear: expected {} rows to be {} experts of whole panels of {}",
              weight->rows, experts, kPanelRows);
  INVAR_CHECK(op.ids.columns >= 1 && op.ids.columns <= kMoeTopKMax,
              "expert_linear: expected 1 to {} experts a row, found {}", kMoeTopKMax,
              op.ids.columns);
  const WeightFormatInfo& format = weight_format_info(weight->format);
  INVAR_CHECK(weight->columns > 0 && weight->columns % format.group_columns == 0,
              "expert_linear: expected a weight of whole groups of columns, found {}",
              weight->columns);
  const std::span<const DType> inputs =
      format.quantized ? std::span<const DType>(kOnlyQ8) : std::span<const DType>(kF32OrBF16);
  const int64_t pairs = op.ids.rows * op.ids.columns;
  const int64_t x_rows = op.x.rows == pairs ? pairs : op.ids.rows;
  check_operand({"expert_linear", "x", inputs, x_rows, weight->columns}, op.x);
  check_operand({"expert_linear", "ids", kOnlyI32, op.ids.rows, op.ids.columns}, op.ids);
  check_operand({"expert_linear", "out", kOnlyF32, pairs, weight->rows / experts}, op.out);
}

Cost cost(const ExpertLinear& op) {
  const PackedMatrix& weight = *op.attributes.weight;
  const int64_t pairs = op.out.rows;
  const int64_t expert_bytes =
      packed_bytes(weight.format, weight.rows, weight.columns) / op.attributes.experts;
  const int64_t x_bytes = op.x.rows * row_bytes(op.x.dtype, op.x.columns);
  const int64_t outputs = pairs * op.out.columns;
  return {.read_bytes = std::min(pairs, op.attributes.experts) * expert_bytes + x_bytes + pairs * 4,
          .write_bytes = outputs * 4,
          .flops = 2 * outputs * weight.columns};
}

}  // namespace invar
