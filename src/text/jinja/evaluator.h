// Walks a template's syntax tree and writes its text.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/jinja/ast.h"
#include "text/jinja/runtime.h"
#include "text/jinja/scope.h"

namespace invar::jinja {

// One render. The tree, the runtime and the inputs must outlive it.
class Evaluator {
 public:
  // `inputs` is a dict of the variables.
  Evaluator(Runtime& runtime, const Value& inputs);
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  std::string render(const Body& body);

 private:
  enum class Flow { kOn, kBreak, kContinue };
  class ScopeGuard;
  class OutputGuard;

  // evaluator_expression.cc
  Value evaluate(const Expression& expression);
  Value evaluate_optional(const ExpressionPtr& expression);
  Value evaluate_name(const NameExpression& expression);
  Value evaluate_sequence(const SequenceExpression& expression);
  Value evaluate_dict(const DictExpression& expression);
  Value evaluate_binary(const BinaryExpression& expression);
  Value evaluate_logical(const LogicalExpression& expression);
  Value evaluate_concatenation(const ConcatenationExpression& expression);
  Value evaluate_comparison(const ComparisonExpression& expression);
  Value evaluate_conditional(const ConditionalExpression& expression);
  Value evaluate_subscript(const SubscriptExpression& expression);
  Value evaluate_slice(const SliceExpression& expression);
  Value evaluate_filter(const FilterExpression& expression);
  Value evaluate_test(const TestExpression& expression);

  // evaluator_call.cc
  Value evaluate_call(const CallExpression& expression, const Value* caller = nullptr);
  Arguments evaluate_arguments(const CallArguments& arguments);
  Value make_macro(const MacroDefinition& definition, const std::shared_ptr<Scope>& scope);
  Value call_macro(const MacroDefinition& definition, const std::shared_ptr<Scope>& closure,
                   Arguments& arguments);
  void bind_parameters(const MacroDefinition& definition, Arguments& arguments);
  void bind_special_names(const MacroDefinition& definition, Arguments& rest);

  // evaluator_statement.cc
  Flow execute(const Body& body);
  Flow execute_statement(const Statement& statement);
  void execute_output(const OutputStatement& statement);
  Flow execute_if(const IfStatement& statement);
  Flow execute_for(const ForStatement& statement);
  std::vector<Value> selected_items(const ForStatement& statement, const std::vector<Value>& items);
  Flow execute_set_block(const SetBlockStatement& statement);
  Flow execute_with(const WithStatement& statement);
  void execute_call_block(const CallBlockStatement& statement);
  Flow execute_filter_block(const FilterBlockStatement& statement);
  void assign(const Target& target, const Value& value);
  Value filtered(const ExpressionPtr& filter, Value block_text);

  Runtime& runtime_;
  Value inputs_;
  std::shared_ptr<Scope> scope_;
  TextBuilder* output_ = nullptr;
  Value block_text_;  // what the innermost filter of a filter block applies to
  // Scopes that macros look into may hold those macros: kept here and emptied at the end, so that
  // they do not keep each other alive.
  std::vector<std::shared_ptr<Scope>> closures_;
};

// A scope inside `outer` for the guard's life.
class Evaluator::ScopeGuard {
 public:
  ScopeGuard(Evaluator& evaluator, const std::shared_ptr<Scope>& outer)
      : evaluator_(evaluator), previous_(std::move(evaluator.scope_)) {
    evaluator_.scope_ = std::make_shared<Scope>();
    evaluator_.scope_->outer = outer == nullptr ? previous_ : outer;
  }
  explicit ScopeGuard(Evaluator& evaluator) : ScopeGuard(evaluator, nullptr) {}
  ~ScopeGuard() { evaluator_.scope_ = std::move(previous_); }
  ScopeGuard(const ScopeGuard&) = delete;
  ScopeGuard& operator=(const ScopeGuard&) = delete;

 private:
  Evaluator& evaluator_;
  std::shared_ptr<Scope> previous_;
};

// Collects the output apart for the guard's life.
class Evaluator::OutputGuard {
 public:
  explicit OutputGuard(Evaluator& evaluator)
      : evaluator_(evaluator), text_(evaluator.runtime_), previous_(evaluator.output_) {
    evaluator_.output_ = &text_;
  }
  ~OutputGuard() { evaluator_.output_ = previous_; }
  OutputGuard(const OutputGuard&) = delete;
  OutputGuard& operator=(const OutputGuard&) = delete;
  Value take_value() { return text_.take_value(); }
  std::string take() { return text_.take(); }

 private:
  Evaluator& evaluator_;
  TextBuilder text_;
  TextBuilder* previous_;
};

}  // namespace invar::jinja
