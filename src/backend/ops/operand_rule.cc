// The checks that operand_rule.h declares.
#include "backend/ops/operand_rule.h"

#include <algorithm>
#include <string>

namespace invar {
namespace {

std::string dtype_list(std::span<const DType> dtypes) {
  std::string text;
  for (DType dtype : dtypes) {
    text += text.empty() ? "" : "|";
    text += dtype_name(dtype);
  }
  return text;
}

// Bytes that an address or stride must be a multiple of.
int64_t alignment_bytes(DType dtype) {
  return dtype == DType::kQ8Row ? 4 : row_bytes(dtype, 1);
}

}  // namespace

void check_operand(const OperandRule& rule, const TensorView& view) {
  const bool allowed = std::ranges::find(rule.dtypes, view.dtype) != rule.dtypes.end();
  INVAR_CHECK(allowed && view.rows == rule.rows && view.columns == rule.columns,
              "{}: operand '{}': expected {} [{}, {}], found {} [{}, {}]", rule.op, rule.operand,
              dtype_list(rule.dtypes), rule.rows, rule.columns, dtype_name(view.dtype), view.rows,
              view.columns);
  if (view.rows == 0 || view.columns == 0) {
    return;
  }
  INVAR_CHECK(view.data != nullptr, "{}: operand '{}': expected data, found none", rule.op,
              rule.operand);
  const int64_t alignment = alignment_bytes(view.dtype);
  INVAR_CHECK(reinterpret_cast<uintptr_t>(view.data) % static_cast<uintptr_t>(alignment) == 0,
              "{}: operand '{}': expected an address aligned to {} bytes, found {}", rule.op,
              rule.operand, alignment, view.data);
  const int64_t dense_bytes = row_bytes(view.dtype, view.columns);
  INVAR_CHECK(
      view.rows == 1 || (view.stride_bytes >= dense_bytes && view.stride_bytes % alignment == 0),
      "{}: operand '{}': expected a stride of at least {} bytes in steps of {}, found {}", rule.op,
      rule.operand, dense_bytes, alignment, view.stride_bytes);
}

}  // namespace invar
