// Checks and cost of linear.
#include "backend/ops/linear.h"

#include "backend/ops/operand_rule.h"

namespace invar {

void validate(const Linear& op) {
  const PackedMatrix* weight = op.attributes.weight;
  INVAR_CHECK(weight != nullptr, "linear: expected a weight, found none");
  INVAR_CHECK(weight->data != nullptr || weight->rows == 0, "linear: expected a packed weight");
  const WeightFormatInfo& format = weight_format_info(weight->format);
  INVAR_CHECK(weight->columns > 0 && weight->columns % format.group_columns == 0,
              "linear: expected a weight of whole groups of columns, found {}", weight->columns);
  const std::span<const DType> inputs =
      format.quantized ? std::span<const DType>(kOnlyQ8) : std::span<const DType>(kF32OrBF16);
  const int64_t rows = op.out.rows;
  check_operand({"linear", "x", inputs, rows, weight->columns}, op.x);
  if (op.bias) {
    check_operand({"linear", "bias", kOnlyF32, 1, weight->rows}, op.bias);
  }
  if (op.addend) {
    check_operand({"linear", "addend", kOnlyF32, rows, weight->rows}, op.addend);
  }
  check_operand({"linear", "out", kOnlyF32, rows, weight->rows}, op.out);
}

Cost cost(const Linear& op) {
  const PackedMatrix& weight = *op.attributes.weight;
  const int64_t outputs = op.out.rows * weight.rows;
  const int64_t weight_bytes = packed_bytes(weight.format, weight.rows, weight.columns);
  const int64_t x_bytes = op.x.rows * row_bytes(op.x.dtype, op.x.columns);
  const int64_t bias_bytes = op.bias ? weight.rows * 4 : 0;
  const int64_t addend_bytes = op.addend ? outputs * 4 : 0;
  return {.read_bytes = weight_bytes + x_bytes + bias_bytes + addend_bytes,
          .write_bytes = outputs * 4,
          .flops = 2 * outputs * weight.columns};
}

}  // namespace invar
