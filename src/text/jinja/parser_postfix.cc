// The parser's postfix forms (parser.h): attributes, subscripts, calls, filters and tests.
#include "text/jinja/parser.h"

namespace invar::jinja {

ExpressionPtr Parser::parse_postfix(ExpressionPtr expression) {
  while (true) {
    if (current().is_operator(".")) {
      expression = parse_attribute(std::move(expression));
    } else if (current().is_operator("[")) {
      expression = parse_subscript(std::move(expression));
    } else if (current().is_operator("(")) {
      expression = parse_call(std::move(expression));
    } else {
      return expression;
    }
  }
}

ExpressionPtr Parser::parse_filters_and_tests(ExpressionPtr expression) {
  while (true) {
    if (current().is_operator("|")) {
      expression = parse_filter(std::move(expression), false);
    } else if (current().is_name("is")) {
      expression = parse_test(std::move(expression));
    } else if (current().is_operator("(")) {
      expression = parse_call(std::move(expression));
    } else {
      return expression;
    }
  }
}

ExpressionPtr Parser::parse_attribute(ExpressionPtr object) {
  expect_operator(".");
  if (current().kind == TokenKind::kLiteral && current().literal.is(Kind::kInteger)) {
    auto subscript = make<SubscriptExpression>();
    auto index = make<LiteralExpression>();
    index->value = take().literal;
    subscript->object = std::move(object);
    subscript->index = std::move(index);
    adopt(*subscript, subscript->object);
    return subscript;
  }
  auto attribute = make<AttributeExpression>();
  attribute->object = std::move(object);
  attribute->name = expect_identifier();
  adopt(*attribute, attribute->object);
  return attribute;
}

ExpressionPtr Parser::parse_subscript(ExpressionPtr object) {
  auto slice = make<SliceExpression>();
  auto subscript = make<SubscriptExpression>();
  expect_operator("[");
  const auto at_bound = [&] { return !current().is_operator(":") && !current().is_operator("]"); };
  ExpressionPtr first = current().is_operator(":") ? nullptr : parse_expression();
  if (!take_operator(":")) {
    expect_operator("]");
    subscript->object = std::move(object);
    subscript->index = std::move(first);
    adopt(*subscript, subscript->object);
    adopt(*subscript, subscript->index);
    return subscript;
  }
  slice->object = std::move(object);
  slice->start = std::move(first);
  slice->stop = at_bound() ? parse_expression() : nullptr;
  if (take_operator(":")) {
    slice->step = at_bound() ? parse_expression() : nullptr;
  }
  expect_operator("]");
  adopt(*slice, slice->object);
  adopt(*slice, slice->start);
  adopt(*slice, slice->stop);
  adopt(*slice, slice->step);
  return slice;
}

ExpressionPtr Parser::parse_call(ExpressionPtr callee) {
  auto call = make<CallExpression>();
  call->callee = std::move(callee);
  call->arguments = parse_arguments();
  adopt(*call, call->callee);
  adopt(*call, call->arguments);
  return call;
}

CallArguments Parser::parse_arguments() {
  CallArguments arguments;
  const auto require = [&](bool condition) {
    if (!condition) {
      fail_here("invalid syntax for function call expression");
    }
  };
  expect_operator("(");
  bool first = true;
  while (!current().is_operator(")")) {
    if (!first) {
      expect_operator(",");
    }
    first = false;
    if (current().is_operator(")")) {
      break;
    }
    if (take_operator("*")) {
      require(arguments.star == nullptr && arguments.double_star == nullptr);
      arguments.star = parse_expression();
    } else if (take_operator("**")) {
      require(arguments.double_star == nullptr);
      arguments.double_star = parse_expression();
    } else if (current().kind == TokenKind::kName && following().is_operator("=")) {
      require(arguments.double_star == nullptr);
      std::string name = take().text;
      take();
      arguments.keyword.emplace_back(std::move(name), parse_expression());
    } else {
      require(arguments.star == nullptr && arguments.double_star == nullptr &&
              arguments.keyword.empty());
      arguments.positional.push_back(parse_expression());
    }
  }
  expect_operator(")");
  return arguments;
}

std::string Parser::parse_dotted_name() {
  std::string name = expect_identifier();
  while (take_operator(".")) {
    name += "." + expect_identifier();
  }
  return name;
}

void Parser::note_unknown(const std::string& what, const std::string& name) {
  if (!in_branch_) {
    unknown_names_.push_back({current().line, "no " + what + " named '" + name + "'"});
  }
}

ExpressionPtr Parser::parse_filter(ExpressionPtr operand, bool start_inline) {
  while (start_inline || take_operator("|")) {
    start_inline = false;
    auto filter = make<FilterExpression>();
    filter->operand = std::move(operand);
    filter->name = parse_dotted_name();
    filter->filter = find_filter(filter->name);
    if (filter->filter == nullptr) {
      note_unknown("filter", filter->name);
    }
    if (current().is_operator("(")) {
      filter->arguments = parse_arguments();
    }
    adopt(*filter, filter->operand);
    adopt(*filter, filter->arguments);
    operand = std::move(filter);
  }
  return operand;
}

bool Parser::at_bare_test_argument() const {
  const Token& token = current();
  if (token.kind == TokenKind::kName) {
    return !token.is_name("else") && !token.is_name("or") && !token.is_name("and");
  }
  return token.kind == TokenKind::kLiteral || token.is_operator("(") || token.is_operator("[") ||
         token.is_operator("{");
}

ExpressionPtr Parser::parse_test(ExpressionPtr operand) {
  auto test = make<TestExpression>();
  auto negation = make<UnaryExpression>();
  expect_name("is");
  const bool negated = take_name("not");
  test->operand = std::move(operand);
  test->name = parse_dotted_name();
  test->test = find_value_test(test->name);
  if (test->test == nullptr) {
    note_unknown("test", test->name);
  }
  if (current().is_operator("(")) {
    test->arguments = parse_arguments();
  } else if (at_bare_test_argument()) {
    if (current().is_name("is")) {
      fail_here("tests cannot be chained with is");
    }
    const Nesting nesting(*this);
    test->arguments.positional.push_back(parse_postfix(parse_primary()));
  }
  adopt(*test, test->operand);
  adopt(*test, test->arguments);
  if (!negated) {
    return test;
  }
  negation->op = UnaryOperator::kNot;
  negation->operand = std::move(test);
  adopt(*negation, negation->operand);
  return negation;
}

}  // namespace invar::jinja
