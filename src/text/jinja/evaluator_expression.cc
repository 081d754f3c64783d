// The evaluator's expressions (evaluator.h).
#include "text/jinja/access.h"
#include "text/jinja/compare.h"
#include "text/jinja/evaluator.h"
#include "text/jinja/functions.h"
#include "text/jinja/sequence.h"
#include "text/jinja/to_text.h"

namespace invar::jinja {

Value Evaluator::evaluate(const Expression& expression) {
  const DepthGuard guard(runtime_);
  runtime_.step();
  runtime_.set_line(expression.line);
  switch (expression.kind) {
    case ExpressionKind::kLiteral:
      return static_cast<const LiteralExpression&>(expression).value;
    case ExpressionKind::kName:
      return evaluate_name(static_cast<const NameExpression&>(expression));
    case ExpressionKind::kSequence:
      return evaluate_sequence(static_cast<const SequenceExpression&>(expression));
    case ExpressionKind::kDict:
      return evaluate_dict(static_cast<const DictExpression&>(expression));
    case ExpressionKind::kUnary: {
      const auto& unary = static_cast<const UnaryExpression&>(expression);
      return apply_unary(runtime_, unary.op, evaluate(*unary.operand));
    }
    case ExpressionKind::kBinary:
      return evaluate_binary(static_cast<const BinaryExpression&>(expression));
    case ExpressionKind::kLogical:
      return evaluate_logical(static_cast<const LogicalExpression&>(expression));
    case ExpressionKind::kConcatenation:
      return evaluate_concatenation(static_cast<const ConcatenationExpression&>(expression));
    case ExpressionKind::kComparison:
      return evaluate_comparison(static_cast<const ComparisonExpression&>(expression));
    case ExpressionKind::kConditional:
      return evaluate_conditional(static_cast<const ConditionalExpression&>(expression));
    case ExpressionKind::kAttribute: {
      const auto& attribute = static_cast<const AttributeExpression&>(expression);
      return attribute_of(runtime_, evaluate(*attribute.object), attribute.name);
    }
    case ExpressionKind::kSubscript:
      return evaluate_subscript(static_cast<const SubscriptExpression&>(expression));
    case ExpressionKind::kSlice:
      return evaluate_slice(static_cast<const SliceExpression&>(expression));
    case ExpressionKind::kCall:
      return evaluate_call(static_cast<const CallExpression&>(expression));
    case ExpressionKind::kFilter:
      return evaluate_filter(static_cast<const FilterExpression&>(expression));
    case ExpressionKind::kTest:
      return evaluate_test(static_cast<const TestExpression&>(expression));
  }
  return {};
}

Value Evaluator::evaluate_optional(const ExpressionPtr& expression) {
  return expression == nullptr ? Value::none() : evaluate(*expression);
}

Value Evaluator::evaluate_name(const NameExpression& expression) {
  if (const Value* value = scope_->find(runtime_, expression.name); value != nullptr) {
    return *value;
  }
  if (const Value* value = inputs_.dict().find(expression.name); value != nullptr) {
    return *value;
  }
  if (std::optional<Value> function = global_function(runtime_, expression.name)) {
    return *function;
  }
  return undefined_because(fmt::format("'{}' is undefined", expression.name));
}

Value Evaluator::evaluate_sequence(const SequenceExpression& expression) {
  std::vector<Value> items;
  items.reserve(expression.items.size());
  for (const ExpressionPtr& item : expression.items) {
    items.push_back(evaluate(*item));
  }
  return runtime_.sequence(expression.sequence_kind, std::move(items));
}

Value Evaluator::evaluate_dict(const DictExpression& expression) {
  std::vector<std::pair<Value, Value>> entries;
  entries.reserve(expression.entries.size());
  for (const auto& [key, value] : expression.entries) {
    Value key_value = evaluate(*key);
    entries.emplace_back(std::move(key_value), evaluate(*value));
  }
  runtime_.set_line(expression.line);
  return runtime_.dict(entries);
}

Value Evaluator::evaluate_binary(const BinaryExpression& expression) {
  const Value left = evaluate(*expression.left);
  const Value right = evaluate(*expression.right);
  runtime_.set_line(expression.line);
  return apply_binary(runtime_, expression.op, left, right);
}

Value Evaluator::evaluate_logical(const LogicalExpression& expression) {
  Value left = evaluate(*expression.left);
  if (is_true(left) != expression.is_and) {
    return left;
  }
  return evaluate(*expression.right);
}

Value Evaluator::evaluate_concatenation(const ConcatenationExpression& expression) {
  TextBuilder text(runtime_);
  for (const ExpressionPtr& operand : expression.operands) {
    append_str(text, runtime_, evaluate(*operand));
  }
  return text.take_value();
}

Value Evaluator::evaluate_comparison(const ComparisonExpression& expression) {
  Value left = evaluate(*expression.first);
  for (const auto& [op, operand] : expression.rest) {
    Value right = evaluate(*operand);
    runtime_.set_line(expression.line);
    if (!apply_comparison(runtime_, op, left, right)) {
      return Value::of(false);
    }
    left = std::move(right);
  }
  return Value::of(true);
}

Value Evaluator::evaluate_conditional(const ConditionalExpression& expression) {
  if (is_true(evaluate(*expression.condition))) {
    return evaluate(*expression.then);
  }
  if (expression.otherwise != nullptr) {
    return evaluate(*expression.otherwise);
  }
  return undefined_because(
      "the inline if-expression evaluated to false and no else section was defined");
}

Value Evaluator::evaluate_subscript(const SubscriptExpression& expression) {
  const Value object = evaluate(*expression.object);
  const Value index = evaluate(*expression.index);
  runtime_.set_line(expression.line);
  return subscript_of(runtime_, object, index);
}

Value Evaluator::evaluate_slice(const SliceExpression& expression) {
  const Value object = evaluate(*expression.object);
  SliceBounds bounds;
  bounds.start = evaluate_optional(expression.start);
  bounds.stop = evaluate_optional(expression.stop);
  bounds.step = evaluate_optional(expression.step);
  runtime_.set_line(expression.line);
  runtime_.require_defined(object);
  if (std::optional<Value> slice = slice_of(runtime_, object, bounds)) {
    return *slice;
  }
  runtime_.fail("'{}' object has no slices", type_name(object));
}

Value Evaluator::evaluate_filter(const FilterExpression& expression) {
  const Value value = expression.operand == nullptr ? block_text_ : evaluate(*expression.operand);
  if (expression.filter == nullptr) {
    runtime_.set_line(expression.line);
    runtime_.fail("no filter named '{}'", expression.name);
  }
  Arguments arguments = evaluate_arguments(expression.arguments);
  runtime_.set_line(expression.line);
  runtime_.charge_operands(value, arguments);
  return expression.filter->apply(runtime_, value, arguments);
}

Value Evaluator::evaluate_test(const TestExpression& expression) {
  const Value value = evaluate(*expression.operand);
  if (expression.test == nullptr) {
    runtime_.set_line(expression.line);
    runtime_.fail("no test named '{}'", expression.name);
  }
  Arguments arguments = evaluate_arguments(expression.arguments);
  runtime_.set_line(expression.line);
  runtime_.charge_operands(value, arguments);
  return Value::of(expression.test->holds(runtime_, value, arguments));
}

}  // namespace invar::jinja
