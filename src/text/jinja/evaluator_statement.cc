// The evaluator's statements (evaluator.h).
#include "text/jinja/compare.h"
#include "text/jinja/evaluator.h"
#include "text/jinja/sequence.h"
#include "text/jinja/to_text.h"

namespace invar::jinja {

Evaluator::Evaluator(Runtime& runtime, const Value& inputs)
    : runtime_(runtime), inputs_(inputs), scope_(std::make_shared<Scope>()) {}

Evaluator::~Evaluator() {
  for (const auto& scope : closures_) {
    scope->names.clear();
    scope->outer.reset();
  }
}

std::string Evaluator::render(const Body& body) {
  OutputGuard output(*this);
  execute(body);
  return output.take();
}

Evaluator::Flow Evaluator::execute(const Body& body) {
  const DepthGuard guard(runtime_);
  for (const StatementPtr& statement : body) {
    if (const Flow flow = execute_statement(*statement); flow != Flow::kOn) {
      return flow;
    }
  }
  return Flow::kOn;
}

Evaluator::Flow Evaluator::execute_statement(const Statement& statement) {
  runtime_.step();
  runtime_.set_line(statement.line);
  switch (statement.kind) {
    case StatementKind::kText:
      output_->append(static_cast<const TextStatement&>(statement).text);
      return Flow::kOn;
    case StatementKind::kOutput:
      execute_output(static_cast<const OutputStatement&>(statement));
      return Flow::kOn;
    case StatementKind::kIf:
      return execute_if(static_cast<const IfStatement&>(statement));
    case StatementKind::kFor:
      return execute_for(static_cast<const ForStatement&>(statement));
    case StatementKind::kSet: {
      const auto& set = static_cast<const SetStatement&>(statement);
      assign(set.target, evaluate(*set.value));
      return Flow::kOn;
    }
    case StatementKind::kSetBlock:
      return execute_set_block(static_cast<const SetBlockStatement&>(statement));
    case StatementKind::kWith:
      return execute_with(static_cast<const WithStatement&>(statement));
    case StatementKind::kMacro: {
      const auto& macro = static_cast<const MacroStatement&>(statement);
      scope_->set(runtime_, macro.definition.name, make_macro(macro.definition, scope_));
      return Flow::kOn;
    }
    case StatementKind::kCallBlock:
      execute_call_block(static_cast<const CallBlockStatement&>(statement));
      return Flow::kOn;
    case StatementKind::kFilterBlock:
      return execute_filter_block(static_cast<const FilterBlockStatement&>(statement));
    case StatementKind::kScope: {
      const ScopeGuard scope(*this);
      return execute(static_cast<const ScopeStatement&>(statement).body);
    }
    case StatementKind::kBreak:
      return Flow::kBreak;
    case StatementKind::kContinue:
      return Flow::kContinue;
  }
  return Flow::kOn;
}

void Evaluator::execute_output(const OutputStatement& statement) {
  const Value value = evaluate(*statement.value);
  runtime_.set_line(statement.line);
  append_str(*output_, runtime_, value);
}

Evaluator::Flow Evaluator::execute_if(const IfStatement& statement) {
  for (const auto& [condition, body] : statement.branches) {
    if (is_true(evaluate(*condition))) {
      return execute(body);
    }
  }
  return execute(statement.otherwise);
}

// The condition sees the loop's names, but not `loop`.
std::vector<Value> Evaluator::selected_items(const ForStatement& statement,
                                             const std::vector<Value>& items) {
  std::vector<Value> selected;
  for (const Value& item : items) {
    runtime_.step();
    const ScopeGuard scope(*this);
    assign(statement.target, item);
    if (is_true(evaluate(*statement.condition))) {
      selected.push_back(item);
    }
  }
  return selected;
}

Evaluator::Flow Evaluator::execute_for(const ForStatement& statement) {
  const Value iterable = evaluate(*statement.iterable);
  runtime_.set_line(statement.line);
  Items items = items_of(runtime_, iterable);
  if (statement.condition != nullptr) {
    items = owned_items(runtime_, selected_items(statement, *items));
  }
  bool one_ended = false;
  const std::shared_ptr<LoopObject> loop = runtime_.loop(items);
  const Value loop_value(Kind::kLoop, loop);
  for (; loop->index0 < items->size(); ++loop->index0) {
    runtime_.step();
    const ScopeGuard scope(*this);
    assign(statement.target, (*items)[loop->index0]);
    scope_->set(runtime_, "loop", loop_value);
    const Flow flow = execute(statement.body);
    one_ended = one_ended || flow == Flow::kOn;
    if (flow == Flow::kBreak) {
      break;
    }
  }
  if (one_ended) {
    return Flow::kOn;
  }
  // Also where each turn was left by break or continue, as in the reference.
  const ScopeGuard scope(*this);
  return execute(statement.otherwise);
}

void Evaluator::assign(const Target& target, const Value& value) {
  if (!target.elements.empty()) {
    const Items items = items_of(runtime_, value);
    if (items->size() != target.elements.size()) {
      runtime_.fail("cannot unpack {} values into {} names", items->size(), target.elements.size());
    }
    for (size_t i = 0; i < items->size(); ++i) {
      assign(target.elements[i], (*items)[i]);
    }
    return;
  }
  if (target.attribute.empty()) {
    scope_->set(runtime_, target.name, value);
    return;
  }
  const Value* object = scope_->find(runtime_, target.name);
  if (object == nullptr || !object->is(Kind::kNamespace)) {
    runtime_.set_line(target.line);
    runtime_.fail("cannot assign attribute on non-namespace object '{}'", target.name);
  }
  NamespaceObject& name_space = object->name_space();
  runtime_.charge_items(name_space.attributes.size());
  name_space.set(target.attribute, value);
}

Value Evaluator::filtered(const ExpressionPtr& filter, Value block_text) {
  if (filter == nullptr) {
    return block_text;
  }
  std::swap(block_text_, block_text);
  Value result = evaluate(*filter);
  std::swap(block_text_, block_text);
  return result;
}

Evaluator::Flow Evaluator::execute_set_block(const SetBlockStatement& statement) {
  Value text;
  Flow flow = Flow::kOn;
  {
    const ScopeGuard scope(*this);
    OutputGuard output(*this);
    flow = execute(statement.body);
    text = output.take_value();
  }
  if (flow == Flow::kOn) {
    assign(statement.target, filtered(statement.filter, std::move(text)));
  }
  return flow;
}

Evaluator::Flow Evaluator::execute_with(const WithStatement& statement) {
  std::vector<Value> values;
  for (const auto& [target, expression] : statement.assignments) {
    values.push_back(evaluate(*expression));
  }
  const ScopeGuard scope(*this);
  for (size_t i = 0; i < values.size(); ++i) {
    assign(statement.assignments[i].first, values[i]);
  }
  return execute(statement.body);
}

void Evaluator::execute_call_block(const CallBlockStatement& statement) {
  const Value caller = make_macro(statement.caller, scope_);
  const Value result = evaluate_call(*statement.call, &caller);
  append_str(*output_, runtime_, result);
}

Evaluator::Flow Evaluator::execute_filter_block(const FilterBlockStatement& statement) {
  Value text;
  Flow flow = Flow::kOn;
  {
    const ScopeGuard scope(*this);
    OutputGuard output(*this);
    flow = execute(statement.body);
    text = output.take_value();
  }
  if (flow == Flow::kOn) {
    append_str(*output_, runtime_, filtered(statement.filter, std::move(text)));
  }
  return flow;
}

}  // namespace invar::jinja
