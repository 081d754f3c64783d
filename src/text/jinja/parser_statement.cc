// The parser's statements (parser.h).
#include <algorithm>
#include <array>

#include "text/jinja/parser.h"

namespace invar::jinja {

Body parse_template(const Source& source, const Limits& limits) {
  if (static_cast<int64_t>(source.text.size()) > limits.source_bytes) {
    fail(Code::kBadFile, "{}: the template is longer than {} bytes", source.name,
         limits.source_bytes);
  }
  return Parser(source, limits).parse();
}

Parser::Parser(const Source& source, const Limits& limits)
    : name_(source.name), limits_(limits), tokens_(tokenize(source)) {}

Body Parser::parse() {
  Body body = parse_body({});
  if (!unknown_names_.empty()) {
    fail_at(unknown_names_.front().line, unknown_names_.front().message);
  }
  return body;
}

void Parser::fail_at(int line, const std::string& message) const {
  fail(Code::kBadFile, "{}:{}: {}", name_, line, message);
}

void Parser::fail_here(const std::string& message) const {
  fail_at(current().line, message);
}

std::string Parser::describe_current() const {
  switch (current().kind) {
    case TokenKind::kText:
      return "template text";
    case TokenKind::kStatementBegin:
      return "'{%'";
    case TokenKind::kStatementEnd:
      return "the end of the statement";
    case TokenKind::kVariableBegin:
      return "'{{'";
    case TokenKind::kVariableEnd:
      return "the end of the print statement";
    case TokenKind::kLiteral:
      return current().literal.is_text() ? "a string" : "a number";
    case TokenKind::kName:
    case TokenKind::kOperator:
      return "'" + current().text + "'";
    case TokenKind::kEnd:
      return "the end of the template";
  }
  return "nothing";
}

const Token& Parser::following() const {
  return tokens_[std::min(position_ + 1, tokens_.size() - 1)];
}

// The token at the end stays.
Token Parser::take() {
  if (current().kind == TokenKind::kEnd) {
    return current();
  }
  return tokens_[position_++];
}

bool Parser::take_operator(std::string_view op) {
  const bool found = current().is_operator(op);
  position_ += found;
  return found;
}

bool Parser::take_name(std::string_view name) {
  const bool found = current().is_name(name);
  position_ += found;
  return found;
}

void Parser::expect_operator(std::string_view op) {
  if (!take_operator(op)) {
    fail_here(fmt::format("expected '{}', got {}", op, describe_current()));
  }
}

void Parser::expect_name(std::string_view name) {
  if (!take_name(name)) {
    fail_here(fmt::format("expected '{}', got {}", name, describe_current()));
  }
}

std::string Parser::expect_identifier() {
  if (current().kind != TokenKind::kName) {
    fail_here("expected a name, got " + describe_current());
  }
  return take().text;
}

void Parser::expect_block_end() {
  if (current().kind != TokenKind::kStatementEnd) {
    fail_here("expected the end of the statement, got " + describe_current());
  }
  take();
}

Body Parser::parse_body(std::initializer_list<std::string_view> end_names) {
  const Nesting nesting(*this);
  Body body;
  while (true) {
    if (current().kind == TokenKind::kText) {
      auto text = make<TextStatement>();
      text->text = take().text;
      body.push_back(std::move(text));
    } else if (current().kind == TokenKind::kVariableBegin) {
      take();
      auto output = make<OutputStatement>();
      output->value = parse_tuple({});
      if (current().kind != TokenKind::kVariableEnd) {
        fail_here("expected the end of the print statement, got " + describe_current());
      }
      take();
      body.push_back(std::move(output));
    } else if (current().kind == TokenKind::kStatementBegin) {
      const Token& tag = following();
      if (std::any_of(end_names.begin(), end_names.end(),
                      [&](std::string_view name) { return tag.is_name(name); })) {
        take();
        return body;
      }
      take();
      body.push_back(parse_statement());
    } else if (end_names.size() == 0) {
      return body;
    } else {
      fail_here(fmt::format("unexpected end of template, '{}' is missing", *(end_names.end() - 1)));
    }
  }
}

Body Parser::parse_framed_body(std::string_view end_name) {
  const bool outer_branch = std::exchange(in_branch_, false);
  Body body = parse_body({end_name});
  expect_name(end_name);
  expect_block_end();
  in_branch_ = outer_branch;
  return body;
}

StatementPtr Parser::parse_statement() {
  using ParseFunction = StatementPtr (Parser::*)();
  static constexpr std::array<std::pair<std::string_view, ParseFunction>, 11> kStatements = {{
      {"if", &Parser::parse_if},
      {"for", &Parser::parse_for},
      {"set", &Parser::parse_set},
      {"with", &Parser::parse_with},
      {"macro", &Parser::parse_macro},
      {"call", &Parser::parse_call_block},
      {"filter", &Parser::parse_filter_block},
      {"generation", &Parser::parse_generation},
      {"break", &Parser::parse_loop_control},
      {"continue", &Parser::parse_loop_control},
      {"print", &Parser::parse_print},
  }};
  static constexpr std::array<std::string_view, 6> kUnsupported = {
      "extends", "block", "include", "import", "from", "autoescape"};
  if (current().kind != TokenKind::kName) {
    fail_here("expected the name of a statement, got " + describe_current());
  }
  const std::string& name = current().text;
  for (const auto& [statement_name, parse_function] : kStatements) {
    if (name == statement_name) {
      return (this->*parse_function)();
    }
  }
  if (std::find(kUnsupported.begin(), kUnsupported.end(), name) != kUnsupported.end()) {
    fail(Code::kUnsupported, "{}:{}: the statement '{}' is not supported in chat templates", name_,
         current().line, name);
  }
  fail_here(fmt::format("unknown tag '{}'", name));
}

StatementPtr Parser::parse_if() {
  auto statement = make<IfStatement>();
  const bool outer_branch = std::exchange(in_branch_, true);
  do {
    take();  // `if` or `elif`
    ExpressionPtr condition = parse_tuple({.with_conditional = false});
    take_operator(":");
    expect_block_end();
    statement->branches.emplace_back(std::move(condition), parse_body({"elif", "else", "endif"}));
  } while (current().is_name("elif"));
  if (take_name("else")) {
    take_operator(":");
    expect_block_end();
    statement->otherwise = parse_body({"endif"});
  }
  expect_name("endif");
  expect_block_end();
  in_branch_ = outer_branch;
  return statement;
}

StatementPtr Parser::parse_for() {
  auto statement = make<ForStatement>();
  take();
  statement->target = parse_target(false, "in");
  expect_name("in");
  statement->iterable = parse_tuple({.with_conditional = false, .end_name = "recursive"});
  if (take_name("if")) {
    statement->condition = parse_expression();
  }
  if (current().is_name("recursive")) {
    fail(Code::kUnsupported, "{}:{}: recursive loops are not supported in chat templates", name_,
         current().line);
  }
  take_operator(":");
  expect_block_end();
  const bool outer_branch = std::exchange(in_branch_, false);
  ++loops_;
  statement->body = parse_body({"else", "endfor"});
  --loops_;
  if (take_name("else")) {
    take_operator(":");
    expect_block_end();
    statement->otherwise = parse_body({"endfor"});
  }
  expect_name("endfor");
  expect_block_end();
  in_branch_ = outer_branch;
  return statement;
}

Target Parser::parse_single_target(bool with_namespace) {
  const Nesting nesting(*this);
  if (take_operator("(")) {
    Target tuple = parse_target(with_namespace, "");
    expect_operator(")");
    return tuple;
  }
  static constexpr std::array<std::string_view, 6> kConstants = {"true",  "True", "false",
                                                                 "False", "none", "None"};
  Target target;
  target.line = current().line;
  target.name = expect_identifier();
  if (std::find(kConstants.begin(), kConstants.end(), target.name) != kConstants.end()) {
    fail_here(fmt::format("can't assign to '{}'", target.name));
  }
  if (with_namespace && take_operator(".")) {
    target.attribute = expect_identifier();
  }
  return target;
}

Target Parser::parse_target(bool with_namespace, std::string_view end_name) {
  Target first = parse_single_target(with_namespace);
  if (!current().is_operator(",")) {
    return first;
  }
  Target tuple;
  tuple.line = first.line;
  tuple.elements.push_back(std::move(first));
  while (take_operator(",")) {
    const bool at_end = current().kind != TokenKind::kName && !current().is_operator("(");
    if (at_end || (!end_name.empty() && current().is_name(end_name))) {
      break;
    }
    tuple.elements.push_back(parse_single_target(with_namespace));
  }
  return tuple;
}

StatementPtr Parser::parse_set() {
  const int line = current().line;
  take();
  Target target = parse_target(true, "");
  if (take_operator("=")) {
    auto statement = make<SetStatement>();
    statement->line = line;
    statement->target = std::move(target);
    statement->value = parse_tuple({});
    expect_block_end();
    return statement;
  }
  auto statement = make<SetBlockStatement>();
  statement->line = line;
  statement->target = std::move(target);
  statement->filter = parse_filter(nullptr, false);
  expect_block_end();
  statement->body = parse_framed_body("endset");
  return statement;
}

StatementPtr Parser::parse_with() {
  auto statement = make<WithStatement>();
  take();
  while (current().kind != TokenKind::kStatementEnd) {
    if (!statement->assignments.empty()) {
      expect_operator(",");
    }
    Target target = parse_single_target(false);
    expect_operator("=");
    statement->assignments.emplace_back(std::move(target), parse_expression());
  }
  expect_block_end();
  statement->body = parse_framed_body("endwith");
  return statement;
}

void Parser::parse_parameters(MacroDefinition& definition) {
  expect_operator("(");
  while (!current().is_operator(")")) {
    if (!definition.parameters.empty()) {
      expect_operator(",");
    }
    Target parameter = parse_single_target(false);
    if (parameter.name.empty()) {
      fail_here("the parameters of a macro are names");
    }
    ExpressionPtr if_absent;
    if (take_operator("=")) {
      if_absent = parse_expression();
    } else if (!definition.parameters.empty() && definition.parameters.back().second != nullptr) {
      fail_here("non-default argument follows default argument");
    }
    definition.parameters.emplace_back(std::move(parameter.name), std::move(if_absent));
  }
  expect_operator(")");
}

void Parser::parse_macro_body(MacroDefinition& definition, std::string_view end_name) {
  const int outer_loops = std::exchange(loops_, 0);
  const SpecialNames outer_names = std::exchange(special_names_, {});
  definition.body = parse_framed_body(end_name);
  definition.uses = special_names_;
  special_names_.caller |= outer_names.caller;
  special_names_.varargs |= outer_names.varargs;
  special_names_.kwargs |= outer_names.kwargs;
  loops_ = outer_loops;
}

StatementPtr Parser::parse_macro() {
  auto statement = make<MacroStatement>();
  take();
  MacroDefinition& definition = statement->definition;
  definition.name = expect_identifier();
  parse_parameters(definition);
  expect_block_end();
  parse_macro_body(definition, "endmacro");
  return statement;
}

StatementPtr Parser::parse_call_block() {
  auto statement = make<CallBlockStatement>();
  take();
  statement->caller.name = "caller";
  if (current().is_operator("(")) {
    parse_parameters(statement->caller);
  }
  ExpressionPtr call = parse_expression();
  if (call->kind != ExpressionKind::kCall) {
    fail_here("expected call");
  }
  statement->call.reset(static_cast<CallExpression*>(call.release()));
  expect_block_end();
  parse_macro_body(statement->caller, "endcall");
  return statement;
}

StatementPtr Parser::parse_filter_block() {
  auto statement = make<FilterBlockStatement>();
  take();
  statement->filter = parse_filter(nullptr, true);
  expect_block_end();
  statement->body = parse_framed_body("endfilter");
  return statement;
}

StatementPtr Parser::parse_generation() {
  auto statement = make<ScopeStatement>();
  take();
  expect_block_end();
  const int outer_loops = std::exchange(loops_, 0);
  statement->body = parse_framed_body("endgeneration");
  loops_ = outer_loops;
  return statement;
}

StatementPtr Parser::parse_loop_control() {
  if (loops_ == 0) {
    fail_here(fmt::format("'{}' outside of a loop", current().text));
  }
  const int line = current().line;
  const bool is_break = take().text == "break";
  expect_block_end();
  StatementPtr statement;
  if (is_break) {
    statement = std::make_unique<BreakStatement>();
  } else {
    statement = std::make_unique<ContinueStatement>();
  }
  statement->line = line;
  return statement;
}

StatementPtr Parser::parse_print() {
  auto statement = make<OutputStatement>();
  take();
  statement->value = parse_tuple({});
  expect_block_end();
  return statement;
}

}  // namespace invar::jinja
