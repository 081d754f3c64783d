// Tokens to the syntax tree. Bounded in depth, so that neither it nor a walk over its result can
// exhaust the stack.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "text/jinja/ast.h"
#include "text/jinja/lexer.h"
#include "text/jinja/limits.h"

namespace invar::jinja {

// Error kBadFile "name:line: message" for what the reference refuses, kUnsupported for what the
// language has and this program does not.
Body parse_template(const Source& source, const Limits& limits);

// The parser's state; its expressions are in parser_expression.cc, statements in
// parser_statement.cc.
class Parser {
 public:
  Parser(const Source& source, const Limits& limits);
  Body parse();

 private:
  class Nesting;
  struct TupleStyle {
    bool with_conditional = true;
    bool in_parentheses = false;
    std::string_view end_name = "";  // a name that ends the tuple
  };
  struct UnknownName {
    int line;
    std::string message;
  };

  const Token& current() const { return tokens_[position_]; }
  const Token& following() const;
  Token take();
  bool take_operator(std::string_view op);
  bool take_name(std::string_view name);
  void expect_operator(std::string_view op);
  void expect_name(std::string_view name);
  std::string expect_identifier();
  [[noreturn]] void fail_at(int line, const std::string& message) const;
  [[noreturn]] void fail_here(const std::string& message) const;
  std::string describe_current() const;

  // Makes a node of the current line.
  template <class Node>
  std::unique_ptr<Node> make() const;
  // Notes that `child` is an operand of `parent`; fails if the tree becomes too high.
  void adopt(Expression& parent, const ExpressionPtr& child) const;
  void adopt(Expression& parent, const CallArguments& arguments) const;

  ExpressionPtr parse_expression(bool with_conditional = true);
  ExpressionPtr parse_tuple(const TupleStyle& style);
  bool at_tuple_end(const TupleStyle& style) const;
  ExpressionPtr parse_conditional();
  ExpressionPtr parse_or();
  ExpressionPtr parse_and();
  ExpressionPtr parse_not();
  ExpressionPtr parse_comparison();
  bool take_comparison_operator(ComparisonOperator& op);
  ExpressionPtr parse_sum();
  ExpressionPtr parse_concatenation();
  ExpressionPtr parse_product();
  ExpressionPtr parse_power();
  ExpressionPtr parse_unary(bool with_filters = true);
  ExpressionPtr parse_primary();
  ExpressionPtr parse_list();
  ExpressionPtr parse_dict();
  ExpressionPtr parse_postfix(ExpressionPtr expression);
  ExpressionPtr parse_filters_and_tests(ExpressionPtr expression);
  ExpressionPtr parse_attribute(ExpressionPtr object);
  ExpressionPtr parse_subscript(ExpressionPtr object);
  ExpressionPtr parse_call(ExpressionPtr callee);
  // `start_inline`: the first filter has no `|` before it.
  ExpressionPtr parse_filter(ExpressionPtr operand, bool start_inline);
  ExpressionPtr parse_test(ExpressionPtr operand);
  bool at_bare_test_argument() const;
  CallArguments parse_arguments();
  ExpressionPtr make_binary(BinaryOperator op, ExpressionPtr left, ExpressionPtr right);
  std::string parse_dotted_name();
  void note_unknown(const std::string& what, const std::string& name);

  // Statements up to a tag of one of the names, which stays to be read (at the end of the source if
  // there are no names).
  Body parse_body(std::initializer_list<std::string_view> end_names);
  // The same in a new frame of names, with the end tag read.
  Body parse_framed_body(std::string_view end_name);
  StatementPtr parse_statement();
  StatementPtr parse_if();
  StatementPtr parse_for();
  StatementPtr parse_set();
  StatementPtr parse_with();
  StatementPtr parse_macro();
  StatementPtr parse_call_block();
  StatementPtr parse_filter_block();
  StatementPtr parse_generation();
  StatementPtr parse_loop_control();
  StatementPtr parse_print();
  void parse_parameters(MacroDefinition& definition);
  void parse_macro_body(MacroDefinition& definition, std::string_view end_name);
  Target parse_target(bool with_namespace, std::string_view end_name);
  Target parse_single_target(bool with_namespace);
  void expect_block_end();

  std::string name_;
  Limits limits_;
  std::vector<Token> tokens_;
  size_t position_ = 0;
  int depth_ = 0;
  int loops_ = 0;  // around the current statement, in its macro
  // Filters and tests that do not exist are an error at once, unless they stand in a branch of an
  // `if`: then only if they are reached.
  bool in_branch_ = false;
  std::vector<UnknownName> unknown_names_;
  SpecialNames special_names_;  // read since the current macro began
};

// Counts a level of recursion.
class Parser::Nesting {
 public:
  explicit Nesting(Parser& parser) : parser_(parser) {
    if (parser_.depth_ >= parser_.limits_.nesting_depth) {
      parser_.fail_here("the template is nested too deeply");
    }
    ++parser_.depth_;
  }
  ~Nesting() { --parser_.depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  Parser& parser_;
};

template <class Node>
std::unique_ptr<Node> Parser::make() const {
  auto node = std::make_unique<Node>();
  node->line = current().line;
  return node;
}

}  // namespace invar::jinja
