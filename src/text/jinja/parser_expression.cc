// The parser's expressions (parser.h), one function a level of precedence.
#include <algorithm>
#include <array>

#include "text/jinja/parser.h"

namespace invar::jinja {

void Parser::adopt(Expression& parent, const ExpressionPtr& child) const {
  if (child == nullptr) {
    return;
  }
  parent.height = std::max(parent.height, child->height + 1);
  if (parent.height > limits_.nesting_depth) {
    fail_at(parent.line, "an expression is nested too deeply");
  }
}

void Parser::adopt(Expression& parent, const CallArguments& arguments) const {
  for (const ExpressionPtr& argument : arguments.positional) {
    adopt(parent, argument);
  }
  for (const auto& [name, argument] : arguments.keyword) {
    adopt(parent, argument);
  }
  adopt(parent, arguments.star);
  adopt(parent, arguments.double_star);
}

ExpressionPtr Parser::parse_expression(bool with_conditional) {
  const Nesting nesting(*this);
  return with_conditional ? parse_conditional() : parse_or();
}

bool Parser::at_tuple_end(const TupleStyle& style) const {
  return current().kind == TokenKind::kVariableEnd || current().kind == TokenKind::kStatementEnd ||
         current().is_operator(")") ||
         (!style.end_name.empty() && current().is_name(style.end_name));
}

ExpressionPtr Parser::parse_tuple(const TupleStyle& style) {
  auto tuple = make<SequenceExpression>();
  tuple->sequence_kind = Kind::kTuple;
  bool has_comma = false;
  while (!at_tuple_end(style)) {
    tuple->items.push_back(parse_expression(style.with_conditional));
    adopt(*tuple, tuple->items.back());
    if (!take_operator(",")) {
      break;
    }
    has_comma = true;
  }
  if (!has_comma && !tuple->items.empty()) {
    return std::move(tuple->items.front());
  }
  if (!has_comma && !style.in_parentheses) {
    fail_here("expected an expression, got " + describe_current());
  }
  return tuple;
}

ExpressionPtr Parser::parse_conditional() {
  const size_t unknown_before = unknown_names_.size();
  ExpressionPtr expression = parse_or();
  while (take_name("if")) {
    auto conditional = make<ConditionalExpression>();
    conditional->then = std::move(expression);
    conditional->condition = parse_or();
    if (take_name("else")) {
      const Nesting nesting(*this);
      conditional->otherwise = parse_conditional();
    }
    unknown_names_.resize(unknown_before);
    adopt(*conditional, conditional->then);
    adopt(*conditional, conditional->condition);
    adopt(*conditional, conditional->otherwise);
    expression = std::move(conditional);
  }
  return expression;
}

ExpressionPtr Parser::parse_or() {
  ExpressionPtr left = parse_and();
  while (current().is_name("or")) {
    auto logical = make<LogicalExpression>();
    take();
    logical->left = std::move(left);
    logical->right = parse_and();
    adopt(*logical, logical->left);
    adopt(*logical, logical->right);
    left = std::move(logical);
  }
  return left;
}

ExpressionPtr Parser::parse_and() {
  ExpressionPtr left = parse_not();
  while (current().is_name("and")) {
    auto logical = make<LogicalExpression>();
    take();
    logical->is_and = true;
    logical->left = std::move(left);
    logical->right = parse_not();
    adopt(*logical, logical->left);
    adopt(*logical, logical->right);
    left = std::move(logical);
  }
  return left;
}

ExpressionPtr Parser::parse_not() {
  if (!current().is_name("not")) {
    return parse_comparison();
  }
  const Nesting nesting(*this);
  auto unary = make<UnaryExpression>();
  take();
  unary->op = UnaryOperator::kNot;
  unary->operand = parse_not();
  adopt(*unary, unary->operand);
  return unary;
}

bool Parser::take_comparison_operator(ComparisonOperator& op) {
  static constexpr std::array<std::pair<std::string_view, ComparisonOperator>, 6> kSymbols = {{
      {"==", ComparisonOperator::kEqual},
      {"!=", ComparisonOperator::kNotEqual},
      {"<", ComparisonOperator::kLess},
      {"<=", ComparisonOperator::kLessOrEqual},
      {">", ComparisonOperator::kGreater},
      {">=", ComparisonOperator::kGreaterOrEqual},
  }};
  for (const auto& [symbol, symbol_op] : kSymbols) {
    if (take_operator(symbol)) {
      op = symbol_op;
      return true;
    }
  }
  if (take_name("in")) {
    op = ComparisonOperator::kIn;
    return true;
  }
  if (current().is_name("not") && following().is_name("in")) {
    take();
    take();
    op = ComparisonOperator::kNotIn;
    return true;
  }
  return false;
}

ExpressionPtr Parser::parse_comparison() {
  auto comparison = make<ComparisonExpression>();
  comparison->first = parse_sum();
  ComparisonOperator op = ComparisonOperator::kEqual;
  while (take_comparison_operator(op)) {
    comparison->rest.emplace_back(op, parse_sum());
    adopt(*comparison, comparison->rest.back().second);
  }
  if (comparison->rest.empty()) {
    return std::move(comparison->first);
  }
  adopt(*comparison, comparison->first);
  return comparison;
}

ExpressionPtr Parser::make_binary(BinaryOperator op, ExpressionPtr left, ExpressionPtr right) {
  auto binary = make<BinaryExpression>();
  binary->line = left->line;
  binary->op = op;
  binary->left = std::move(left);
  binary->right = std::move(right);
  adopt(*binary, binary->left);
  adopt(*binary, binary->right);
  return binary;
}

ExpressionPtr Parser::parse_sum() {
  ExpressionPtr left = parse_concatenation();
  while (true) {
    if (take_operator("+")) {
      left = make_binary(BinaryOperator::kAdd, std::move(left), parse_concatenation());
    } else if (take_operator("-")) {
      left = make_binary(BinaryOperator::kSubtract, std::move(left), parse_concatenation());
    } else {
      return left;
    }
  }
}

ExpressionPtr Parser::parse_concatenation() {
  auto concatenation = make<ConcatenationExpression>();
  do {
    concatenation->operands.push_back(parse_product());
    adopt(*concatenation, concatenation->operands.back());
  } while (take_operator("~"));
  if (concatenation->operands.size() == 1) {
    return std::move(concatenation->operands.front());
  }
  return concatenation;
}

ExpressionPtr Parser::parse_product() {
  ExpressionPtr left = parse_power();
  while (true) {
    if (take_operator("*")) {
      left = make_binary(BinaryOperator::kMultiply, std::move(left), parse_power());
    } else if (take_operator("/")) {
      left = make_binary(BinaryOperator::kDivide, std::move(left), parse_power());
    } else if (take_operator("//")) {
      left = make_binary(BinaryOperator::kFloorDivide, std::move(left), parse_power());
    } else if (take_operator("%")) {
      left = make_binary(BinaryOperator::kModulo, std::move(left), parse_power());
    } else {
      return left;
    }
  }
}

ExpressionPtr Parser::parse_power() {
  ExpressionPtr left = parse_unary();
  while (take_operator("**")) {
    left = make_binary(BinaryOperator::kPower, std::move(left), parse_unary());
  }
  return left;
}

ExpressionPtr Parser::parse_unary(bool with_filters) {
  ExpressionPtr expression;
  if (current().is_operator("-") || current().is_operator("+")) {
    const Nesting nesting(*this);
    auto unary = make<UnaryExpression>();
    unary->op = take().text == "-" ? UnaryOperator::kNegate : UnaryOperator::kPlus;
    unary->operand = parse_unary(false);
    adopt(*unary, unary->operand);
    expression = std::move(unary);
  } else {
    expression = parse_primary();
  }
  expression = parse_postfix(std::move(expression));
  return with_filters ? parse_filters_and_tests(std::move(expression)) : std::move(expression);
}

ExpressionPtr Parser::parse_primary() {
  if (current().kind == TokenKind::kName) {
    const std::string& name = current().text;
    const bool is_true_name = name == "true" || name == "True";
    if (is_true_name || name == "false" || name == "False" || name == "none" || name == "None") {
      auto literal = make<LiteralExpression>();
      literal->value = name == "none" || name == "None" ? Value::none() : Value::of(is_true_name);
      take();
      return literal;
    }
    auto node = make<NameExpression>();
    special_names_.caller |= name == "caller";
    special_names_.varargs |= name == "varargs";
    special_names_.kwargs |= name == "kwargs";
    node->name = take().text;
    return node;
  }
  if (current().kind == TokenKind::kLiteral) {
    auto literal = make<LiteralExpression>();
    literal->value = take().literal;
    // Strings in a row are one string.
    while (literal->value.is_text() && current().kind == TokenKind::kLiteral &&
           current().literal.is_text()) {
      literal->value = Value::literal(literal->value.text() + take().literal.text());
    }
    return literal;
  }
  if (take_operator("(")) {
    ExpressionPtr tuple = parse_tuple({.in_parentheses = true});
    expect_operator(")");
    return tuple;
  }
  if (current().is_operator("[")) {
    return parse_list();
  }
  if (current().is_operator("{")) {
    return parse_dict();
  }
  fail_here("expected an expression, got " + describe_current());
}

ExpressionPtr Parser::parse_list() {
  auto list = make<SequenceExpression>();
  expect_operator("[");
  while (!current().is_operator("]")) {
    if (!list->items.empty()) {
      expect_operator(",");
    }
    if (current().is_operator("]")) {
      break;
    }
    list->items.push_back(parse_expression());
    adopt(*list, list->items.back());
  }
  expect_operator("]");
  return list;
}

ExpressionPtr Parser::parse_dict() {
  auto dict = make<DictExpression>();
  expect_operator("{");
  while (!current().is_operator("}")) {
    if (!dict->entries.empty()) {
      expect_operator(",");
    }
    if (current().is_operator("}")) {
      break;
    }
    ExpressionPtr key = parse_expression();
    expect_operator(":");
    dict->entries.emplace_back(std::move(key), parse_expression());
    adopt(*dict, dict->entries.back().first);
    adopt(*dict, dict->entries.back().second);
  }
  expect_operator("}");
  return dict;
}

}  // namespace invar::jinja
