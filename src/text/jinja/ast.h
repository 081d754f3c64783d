// The syntax tree of a template. Nodes are made by the parser, immutable afterwards, and may be
// shared by renders on several threads.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "text/jinja/filters.h"
#include "text/jinja/operators.h"
#include "text/jinja/value.h"
#include "text/jinja/value_tests.h"

namespace invar::jinja {

enum class ExpressionKind {
  kLiteral,
  kName,
  kSequence,
  kDict,
  kUnary,
  kBinary,
  kLogical,
  kConcatenation,
  kComparison,
  kConditional,
  kAttribute,
  kSubscript,
  kSlice,
  kCall,
  kFilter,
  kTest,
};

struct Expression {
  explicit Expression(ExpressionKind node_kind) : kind(node_kind) {}
  virtual ~Expression() = default;
  const ExpressionKind kind;
  int line = 1;
  int height = 1;  // 1 + that of the highest operand; bounded by the parser
};
using ExpressionPtr = std::unique_ptr<Expression>;

struct LiteralExpression : Expression {
  LiteralExpression() : Expression(ExpressionKind::kLiteral) {}
  Value value;
};

struct NameExpression : Expression {
  NameExpression() : Expression(ExpressionKind::kName) {}
  std::string name;
};

struct SequenceExpression : Expression {
  SequenceExpression() : Expression(ExpressionKind::kSequence) {}
  Kind sequence_kind = Kind::kList;
  std::vector<ExpressionPtr> items;
};

struct DictExpression : Expression {
  DictExpression() : Expression(ExpressionKind::kDict) {}
  std::vector<std::pair<ExpressionPtr, ExpressionPtr>> entries;
};

struct UnaryExpression : Expression {
  UnaryExpression() : Expression(ExpressionKind::kUnary) {}
  UnaryOperator op = UnaryOperator::kNot;
  ExpressionPtr operand;
};

struct BinaryExpression : Expression {
  BinaryExpression() : Expression(ExpressionKind::kBinary) {}
  BinaryOperator op = BinaryOperator::kAdd;
  ExpressionPtr left;
  ExpressionPtr right;
};

struct LogicalExpression : Expression {
  LogicalExpression() : Expression(ExpressionKind::kLogical) {}
  bool is_and = false;  // otherwise `or`
  ExpressionPtr left;
  ExpressionPtr right;
};

struct ConcatenationExpression : Expression {
  ConcatenationExpression() : Expression(ExpressionKind::kConcatenation) {}
  std::vector<ExpressionPtr> operands;
};

struct ComparisonExpression : Expression {
  ComparisonExpression() : Expression(ExpressionKind::kComparison) {}
  ExpressionPtr first;
  std::vector<std::pair<ComparisonOperator, ExpressionPtr>> rest;
};

struct ConditionalExpression : Expression {
  ConditionalExpression() : Expression(ExpressionKind::kConditional) {}
  ExpressionPtr condition;
  ExpressionPtr then;
  ExpressionPtr otherwise;  // may be absent
};

struct AttributeExpression : Expression {
  AttributeExpression() : Expression(ExpressionKind::kAttribute) {}
  ExpressionPtr object;
  std::string name;
};

struct SubscriptExpression : Expression {
  SubscriptExpression() : Expression(ExpressionKind::kSubscript) {}
  ExpressionPtr object;
  ExpressionPtr index;
};

struct SliceExpression : Expression {
  SliceExpression() : Expression(ExpressionKind::kSlice) {}
  ExpressionPtr object;
  ExpressionPtr start;  // may be absent, as the two below
  ExpressionPtr stop;
  ExpressionPtr step;
};

struct CallArguments {
  std::vector<ExpressionPtr> positional;
  std::vector<std::pair<std::string, ExpressionPtr>> keyword;
  ExpressionPtr star;         // *args; may be absent
  ExpressionPtr double_star;  // **kwargs; may be absent
};

struct CallExpression : Expression {
  CallExpression() : Expression(ExpressionKind::kCall) {}
  ExpressionPtr callee;
  CallArguments arguments;
};

struct FilterExpression : Expression {
  FilterExpression() : Expression(ExpressionKind::kFilter) {}
  ExpressionPtr operand;  // absent: the text of the block that the filter ends (innermost filter)
  std::string name;
  const Filter* filter = nullptr;  // null: unknown, an error if it is ever applied
  CallArguments arguments;
};

struct TestExpression : Expression {
  TestExpression() : Expression(ExpressionKind::kTest) {}
  ExpressionPtr operand;
  std::string name;
  const ValueTest* test = nullptr;  // null: unknown, an error if it is ever applied
  CallArguments arguments;
};

enum class StatementKind {
  kText,
  kOutput,
  kIf,
  kFor,
  kSet,
  kSetBlock,
  kWith,
  kMacro,
  kCallBlock,
  kFilterBlock,
  kScope,
  kBreak,
  kContinue,
};

struct Statement {
  explicit Statement(StatementKind node_kind) : kind(node_kind) {}
  virtual ~Statement() = default;
  const StatementKind kind;
  int line = 1;
};
using StatementPtr = std::unique_ptr<Statement>;
using Body = std::vector<StatementPtr>;

struct TextStatement : Statement {
  TextStatement() : Statement(StatementKind::kText) {}
  std::string text;
};

struct OutputStatement : Statement {
  OutputStatement() : Statement(StatementKind::kOutput) {}
  ExpressionPtr value;
};

struct IfStatement : Statement {
  IfStatement() : Statement(StatementKind::kIf) {}
  std::vector<std::pair<ExpressionPtr, Body>> branches;
  Body otherwise;
};

// What `set`, `for` and `with` assign to: a name, an attribute of a namespace, or several of them.
struct Target {
  int line = 1;
  std::string name;
  std::string attribute;         // of the namespace `name`; empty if there is none
  std::vector<Target> elements;  // if not empty, the value is unpacked
};

struct ForStatement : Statement {
  ForStatement() : Statement(StatementKind::kFor) {}
  Target target;
  ExpressionPtr iterable;
  ExpressionPtr condition;  // may be absent
  Body body;
  Body otherwise;
};

struct SetStatement : Statement {
  SetStatement() : Statement(StatementKind::kSet) {}
  Target target;
  ExpressionPtr value;
};

struct SetBlockStatement : Statement {
  SetBlockStatement() : Statement(StatementKind::kSetBlock) {}
  Target target;
  ExpressionPtr filter;  // may be absent
  Body body;
};

struct WithStatement : Statement {
  WithStatement() : Statement(StatementKind::kWith) {}
  std::vector<std::pair<Target, ExpressionPtr>> assignments;
  Body body;
};

// Which of the names that a macro has without a parameter its body speaks of.
struct SpecialNames {
  bool caller = false;   // the block of a `call`
  bool varargs = false;  // positional arguments beyond the parameters
  bool kwargs = false;   // keyword arguments without a parameter
};

// Parameters and body of a macro, or of a call block.
struct MacroDefinition {
  std::string name;
  SpecialNames uses;
  std::vector<std::pair<std::string, ExpressionPtr>> parameters;  // with default, if any
  Body body;
};

struct MacroStatement : Statement {
  MacroStatement() : Statement(StatementKind::kMacro) {}
  MacroDefinition definition;
};

struct CallBlockStatement : Statement {
  CallBlockStatement() : Statement(StatementKind::kCallBlock) {}
  MacroDefinition caller;
  std::unique_ptr<CallExpression> call;
};

struct FilterBlockStatement : Statement {
  FilterBlockStatement() : Statement(StatementKind::kFilterBlock) {}
  ExpressionPtr filter;
  Body body;
};

// A body with names of its own: `generation`.
struct ScopeStatement : Statement {
  ScopeStatement() : Statement(StatementKind::kScope) {}
  Body body;
};

struct BreakStatement : Statement {
  BreakStatement() : Statement(StatementKind::kBreak) {}
};
struct ContinueStatement : Statement {
  ContinueStatement() : Statement(StatementKind::kContinue) {}
};

}  // namespace invar::jinja
