// Shape checks for the ops' validate functions. A wrong shape is a bug in whoever built the
// program, so a failed check ends the process; its message names op, operand, expected and found.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "core/dtype.h"
#include "core/tensor_view.h"

namespace invar {

struct OperandRule {
  const char* op;
  const char* operand;
  std::span<const DType> dtypes;  // the allowed ones
  int64_t rows;
  int64_t columns;
};

// Checks dtype, shape, and that data and stride fit them: present (unless the operand is empty),
// aligned to the element, rows not overlapping.
void check_operand(const OperandRule& rule, const TensorView& view);

inline constexpr DType kOnlyF32[] = {DType::kF32};
inline constexpr DType kOnlyI32[] = {DType::kI32};
inline constexpr DType kOnlyQ8[] = {DType::kQ8Row};
inline constexpr DType kF32OrBF16[] = {DType::kF32, DType::kBF16};
inline constexpr DType kFloats[] = {DType::kF32, DType::kBF16, DType::kF16};

}  // namespace invar
