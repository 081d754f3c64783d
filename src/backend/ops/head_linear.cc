// Checks and cost of head_linear.
#include "backend/ops/head_linear.h"

#include "backend/ops/operand_rule.h"

namespace invar {
namespace {

void check_head_columns(const char* operand, const TensorView& view, int64_t heads,
                        int64_t needed) {
  INVAR_CHECK(view.columns % heads == 0 && view.columns / heads >= needed,
              "head_linear: operand '{}': expected {} heads of at least {} columns, found {}",
              operand, heads, needed, view.columns);
}

}  // namespace

void validate(const HeadLinear& op) {
  const HeadLinearAttributes& a = op.attributes;
  INVAR_CHECK(a.weight != nullptr && a.weight->data != nullptr,
              "head_linear: expected a packed weight, found none");
  INVAR_CHECK(!weight_format_info(a.weight->format).quantized,
              "head_linear: expected a format that takes f32 rows, found {}",
              weight_format_info(a.weight->format).name);
  INVAR_CHECK(a.heads > 0 && a.outputs > 0 && a.kept >= 0 &&
                  a.weight->rows == a.heads * head_matrix_rows(a.outputs),
              "head_linear: expected a weight of {} heads of {} outputs, found {} rows", a.heads,
              a.outputs, a.weight->rows);
  check_head_columns("x", op.x, a.heads, a.weight->columns + a.kept);
  check_head_columns("out", op.out, a.heads, a.outputs + a.kept);
  check_operand({"head_linear", "x", kOnlyF32, op.x.rows, op.x.columns}, op.x);
  check_operand({"head_linear", "out", kOnlyF32, op.x.rows, op.out.columns}, op.out);
}

Cost cost(const HeadLinear& op) {
  const PackedMatrix& weight = *op.attributes.weight;
  const int64_t heads = op.attributes.heads;
  const int64_t read_columns = heads * (weight.columns + op.attributes.kept);
  return {.read_bytes = packed_bytes(weight.format, weight.rows, weight.columns) +
                        op.x.rows * read_columns * 4,
          .write_bytes = op.out.rows * op.out.columns * 4,
          .flops = 2 * op.out.rows * heads * op.attributes.outputs * weight.columns};
}

}  // namespace invar
