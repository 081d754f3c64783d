// The operators of expressions (operators.h).
#include "text/jinja/operators.h"

#include <cmath>

#include "text/jinja/compare.h"
#include "text/jinja/markup.h"
#include "text/jinja/printf_format.h"
#include "text/jinja/runtime.h"

namespace invar::jinja {
namespace {

std::string_view symbol_of(BinaryOperator op) {
  switch (op) {
    case BinaryOperator::kAdd:
      return "+";
    case BinaryOperator::kSubtract:
      return "-";
    case BinaryOperator::kMultiply:
      return "*";
    case BinaryOperator::kDivide:
      return "/";
    case BinaryOperator::kFloorDivide:
      return "//";
    case BinaryOperator::kModulo:
      return "%";
    case BinaryOperator::kPower:
      return "**";
  }
  return "?";
}

[[noreturn]] void fail_types(Runtime& runtime, BinaryOperator op, const Value& left,
                             const Value& right) {
  runtime.require_defined(left);
  runtime.require_defined(right);
  if (op == BinaryOperator::kAdd && (left.is_text() || left.is_sequence())) {
    runtime.fail("can only concatenate {0} (not \"{1}\") to {0}", type_name(left),
                 type_name(right));
  }
  runtime.fail("unsupported operand type(s) for {}: '{}' and '{}'", symbol_of(op), type_name(left),
               type_name(right));
}

// `result` is read after `overflow` has been computed, which may write it.
Integer checked(Runtime& runtime, bool overflow, const Integer& result) {
  if (overflow) {
    runtime.fail("an integer is too large");
  }
  return result;
}

Integer floor_divide(Runtime& runtime, Integer left, Integer right) {
  if (right == 0) {
    runtime.fail("integer division or modulo by zero");
  }
  if (right == -1) {
    Integer result = 0;
    return checked(runtime, __builtin_sub_overflow(Integer{0}, left, &result), result);
  }
  const Integer quotient = left / right;
  return quotient - (left % right != 0 && (left < 0) != (right < 0));
}

Integer floor_modulo(Runtime& runtime, Integer left, Integer right) {
  if (right == 0) {
    runtime.fail("integer division or modulo by zero");
  }
  if (right == -1) {
    return 0;
  }
  const Integer rest = left % right;
  return rest != 0 && (rest < 0) != (right < 0) ? rest + right : rest;
}

Integer integer_power(Runtime& runtime, Integer base, Integer exponent) {
  Integer result = 1;
  while (exponent > 0) {
    if ((exponent & 1) != 0) {
      result = checked(runtime, __builtin_mul_overflow(result, base, &result), result);
    }
    exponent >>= 1;
    if (exponent > 0) {
      base = checked(runtime, __builtin_mul_overflow(base, base, &base), base);
    }
  }
  return result;
}

Value integer_operation(Runtime& runtime, BinaryOperator op, Integer left, Integer right) {
  Integer result = 0;
  switch (op) {
    case BinaryOperator::kAdd:
      return Value::of(checked(runtime, __builtin_add_overflow(left, right, &result), result));
    case BinaryOperator::kSubtract:
      return Value::of(checked(runtime, __builtin_sub_overflow(left, right, &result), result));
    case BinaryOperator::kMultiply:
      return Value::of(checked(runtime, __builtin_mul_overflow(left, right, &result), result));
    case BinaryOperator::kFloorDivide:
      return Value::of(floor_divide(runtime, left, right));
    case BinaryOperator::kModulo:
      return Value::of(floor_modulo(runtime, left, right));
    case BinaryOperator::kDivide:
      if (right == 0) {
        runtime.fail("division by zero");
      }
      return Value::of(static_cast<double>(left) / static_cast<double>(right));
    case BinaryOperator::kPower:
      if (right < 0) {
        if (left == 0) {
          runtime.fail("0.0 cannot be raised to a negative power");
        }
        return Value::of(std::pow(static_cast<double>(left), static_cast<double>(right)));
      }
      return Value::of(integer_power(runtime, left, right));
  }
  return {};
}

double float_modulo(double left, double right) {
  const double rest = std::fmod(left, right);
  if (rest == 0.0) {
    return std::copysign(0.0, right);
  }
  return (rest < 0.0) != (right < 0.0) ? rest + right : rest;
}

double float_floor_divide(double left, double right) {
  const double rest = std::fmod(left, right);
  double quotient = (left - rest) / right;
  quotient -= rest != 0.0 && (rest < 0.0) != (right < 0.0) ? 1.0 : 0.0;
  if (quotient == 0.0) {
    return std::copysign(0.0, left / right);
  }
  // The difference above is rounded: take the nearest whole number, not the one below.
  const double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1.0 : whole;
}

double float_power(Runtime& runtime, double left, double right) {
  if (left < 0.0 && right != std::floor(right)) {
    runtime.fail("a negative number cannot be raised to a fractional power");
  }
  if (left == 0.0 && right < 0.0) {
    runtime.fail("0.0 cannot be raised to a negative power");
  }
  const double result = std::pow(left, right);
  if (std::isinf(result) && std::isfinite(left) && std::isfinite(right)) {
    runtime.fail("the power of a float is too large");
  }
  return result;
}

Value float_operation(Runtime& runtime, BinaryOperator op, double left, double right) {
  const bool divides = op == BinaryOperator::kDivide || op == BinaryOperator::kFloorDivide ||
                       op == BinaryOperator::kModulo;
  if (divides && right == 0.0) {
    runtime.fail("float division by zero");
  }
  switch (op) {
    case BinaryOperator::kAdd:
      return Value::of(left + right);
    case BinaryOperator::kSubtract:
      return Value::of(left - right);
    case BinaryOperator::kMultiply:
      return Value::of(left * right);
    case BinaryOperator::kDivide:
      return Value::of(left / right);
    case BinaryOperator::kFloorDivide:
      return Value::of(float_floor_divide(left, right));
    case BinaryOperator::kModulo:
      return Value::of(float_modulo(left, right));
    case BinaryOperator::kPower:
      return Value::of(float_power(runtime, left, right));
  }
  return {};
}

Value join_texts(Runtime& runtime, const std::string& left, const std::string& right,
                 bool is_markup) {
  runtime.check_text_size(static_cast<int64_t>(left.size() + right.size()));
  std::string result;
  result.reserve(left.size() + right.size());
  result += left;
  result += right;
  return runtime.text(std::move(result), is_markup);
}

Value join_sequences(Runtime& runtime, const Value& left, const Value& right) {
  runtime.check_item_count(static_cast<int64_t>(left.items().size() + right.items().size()));
  std::vector<Value> items = left.items();
  items.insert(items.end(), right.items().begin(), right.items().end());
  return runtime.sequence(left.kind(), std::move(items));
}

Value repeat(Runtime& runtime, const Value& value, Integer count) {
  if (count <= 0) {
    return value.is_text() ? runtime.text("") : runtime.sequence(value.kind(), {});
  }
  const auto size =
      static_cast<Integer>(value.is_text() ? value.text().size() : value.items().size());
  if (size != 0 && count > INT64_MAX / size) {
    runtime.fail("a repetition is too long");
  }
  const auto total = static_cast<int64_t>(size * count);
  const auto times = size == 0 ? 0 : static_cast<int64_t>(count);
  if (value.is_text()) {
    runtime.check_text_size(total);
    std::string result;
    result.reserve(static_cast<size_t>(total));
    for (int64_t i = 0; i < times; ++i) {
      result += value.text();
    }
    return runtime.text(std::move(result), value.is_markup());
  }
  runtime.check_item_count(total);
  runtime.step(total / 16);
  std::vector<Value> items;
  items.reserve(static_cast<size_t>(total));
  for (int64_t i = 0; i < times; ++i) {
    items.insert(items.end(), value.items().begin(), value.items().end());
  }
  return runtime.sequence(value.kind(), std::move(items));
}

// The text a value has in a sum with a text; empty pointer if it has none.
const std::string* text_in_sum(const Value& value) {
  if (value.is_text()) {
    return &value.text();
  }
  if (value.is(Kind::kList) && value.list().joined_text.is_text()) {
    return &value.list().joined_text.text();
  }
  return nullptr;
}

Value add(Runtime& runtime, const Value& left, const Value& right) {
  if (left.is_text() || right.is_text()) {
    const std::string* left_text = text_in_sum(left);
    const std::string* right_text = text_in_sum(right);
    if (left.is_text() && right.is_text() && left.is_markup() != right.is_markup()) {
      return join_texts(runtime, joining_markup(runtime, left).text(),
                        joining_markup(runtime, right).text(), true);
    }
    if (left_text != nullptr && right_text != nullptr) {
      return join_texts(runtime, *left_text, *right_text, left.is_markup());
    }
  } else if (left.is_sequence() && left.kind() == right.kind()) {
    return join_sequences(runtime, left, right);
  }
  fail_types(runtime, BinaryOperator::kAdd, left, right);
}

}  // namespace

Value apply_unary(Runtime& runtime, UnaryOperator op, const Value& operand) {
  if (op == UnaryOperator::kNot) {
    return Value::of(!is_true(operand));
  }
  const bool negate = op == UnaryOperator::kNegate;
  if (operand.is(Kind::kFloat)) {
    return Value::of(negate ? -operand.number() : operand.number());
  }
  if (!operand.is_integral()) {
    runtime.require_defined(operand);
    runtime.fail("bad operand type for unary {}: '{}'", negate ? '-' : '+', type_name(operand));
  }
  if (!negate) {
    return Value::of(operand.integer());
  }
  return integer_operation(runtime, BinaryOperator::kSubtract, 0, operand.integer());
}

Value apply_binary(Runtime& runtime, BinaryOperator op, const Value& left, const Value& right) {
  if (left.is_integral() && right.is_integral()) {
    return integer_operation(runtime, op, left.integer(), right.integer());
  }
  if (left.is_number() && right.is_number()) {
    return float_operation(runtime, op, left.number(), right.number());
  }
  if (op == BinaryOperator::kAdd) {
    return add(runtime, left, right);
  }
  if (op == BinaryOperator::kMultiply) {
    if ((left.is_text() || left.is_sequence()) && right.is_integral()) {
      return repeat(runtime, left, right.integer());
    }
    if ((right.is_text() || right.is_sequence()) && left.is_integral()) {
      return repeat(runtime, right, left.integer());
    }
  }
  if (op == BinaryOperator::kModulo && left.is_text()) {
    return printf_format(runtime, left, right);
  }
  fail_types(runtime, op, left, right);
}

bool apply_comparison(Runtime& runtime, ComparisonOperator op, const Value& left,
                      const Value& right) {
  switch (op) {
    case ComparisonOperator::kEqual:
      return equal(runtime, left, right);
    case ComparisonOperator::kNotEqual:
      return !equal(runtime, left, right);
    case ComparisonOperator::kLess:
      return less(runtime, left, right, "<");
    case ComparisonOperator::kGreater:
      return less(runtime, right, left, ">");
    case ComparisonOperator::kLessOrEqual:
      return less(runtime, left, right, "<=") || equal(runtime, left, right);
    case ComparisonOperator::kGreaterOrEqual:
      return less(runtime, right, left, ">=") || equal(runtime, left, right);
    case ComparisonOperator::kIn:
      return contains(runtime, right, left);
    case ComparisonOperator::kNotIn:
      return !contains(runtime, right, left);
  }
  return false;
}

}  // namespace invar::jinja
