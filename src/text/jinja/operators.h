// The operators of expressions on values, with Python's meaning.
#pragma once

#include "text/jinja/value.h"

namespace invar::jinja {

class Runtime;

enum class UnaryOperator { kNot, kNegate, kPlus };
enum class BinaryOperator { kAdd, kSubtract, kMultiply, kDivide, kFloorDivide, kModulo, kPower };
enum class ComparisonOperator {
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kIn,
  kNotIn
};

// Each fails on types that the operator does not take, on division by zero, and on an integer
// result beyond 128 bits.
Value apply_unary(Runtime& runtime, UnaryOperator op, const Value& operand);
Value apply_binary(Runtime& runtime, BinaryOperator op, const Value& left, const Value& right);
bool apply_comparison(Runtime& runtime, ComparisonOperator op, const Value& left,
                      const Value& right);

}  // namespace invar::jinja
