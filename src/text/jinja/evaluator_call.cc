// The evaluator's calls: arguments, and macros (evaluator.h).
#include <algorithm>

#include "text/jinja/evaluator.h"
#include "text/jinja/sequence.h"

namespace invar::jinja {

Arguments Evaluator::evaluate_arguments(const CallArguments& source) {
  Arguments arguments;
  arguments.positional.reserve(source.positional.size());
  for (const ExpressionPtr& argument : source.positional) {
    arguments.positional.push_back(evaluate(*argument));
  }
  for (const auto& [name, argument] : source.keyword) {
    arguments.keyword.emplace_back(name, evaluate(*argument));
  }
  if (source.star != nullptr) {
    const Items items = items_of(runtime_, evaluate(*source.star));
    runtime_.step(static_cast<int64_t>(items->size()));
    arguments.positional.insert(arguments.positional.end(), items->begin(), items->end());
  }
  if (source.double_star != nullptr) {
    const Value value = evaluate(*source.double_star);
    if (!value.is(Kind::kDict)) {
      runtime_.require_defined(value);
      runtime_.fail("argument after ** must be a mapping, not {}", type_name(value));
    }
    for (const auto& [key, argument] : value.dict().entries) {
      runtime_.step();
      if (!key.is_text()) {
        runtime_.fail("keywords must be strings");
      }
      arguments.keyword.emplace_back(key.text(), argument);
    }
  }
  return arguments;
}

Value Evaluator::evaluate_call(const CallExpression& expression, const Value* caller) {
  const Value callee = evaluate(*expression.callee);
  Arguments arguments = evaluate_arguments(expression.arguments);
  if (caller != nullptr) {
    arguments.keyword.emplace_back("caller", *caller);
  }
  runtime_.set_line(expression.line);
  runtime_.require_defined(callee);
  if (!callee.is(Kind::kCallable)) {
    runtime_.fail("'{}' object is not callable", type_name(callee));
  }
  const HeldBytes held(
      runtime_, (arguments.positional.size() + 2 * arguments.keyword.size()) * sizeof(Value));
  Value result = callee.callable().call(runtime_, arguments);
  runtime_.set_line(expression.line);
  return result;
}

Value Evaluator::make_macro(const MacroDefinition& definition,
                            const std::shared_ptr<Scope>& scope) {
  runtime_.retain_one();
  if (closures_.empty() || closures_.back() != scope) {
    closures_.push_back(scope);
  }
  return runtime_.callable(fmt::format("<Macro '{}'>", definition.name),
                           [this, &definition, scope](Runtime&, Arguments& arguments) {
                             return call_macro(definition, scope, arguments);
                           });
}

Value Evaluator::call_macro(const MacroDefinition& definition,
                            const std::shared_ptr<Scope>& closure, Arguments& arguments) {
  const DepthGuard guard(runtime_);
  const ScopeGuard scope(*this, closure);
  bind_parameters(definition, arguments);
  OutputGuard output(*this);
  execute(definition.body);
  return output.take_value();
}

// Binds what was given, then the names a macro has without a parameter, then the defaults, which
// may speak of all of these.
void Evaluator::bind_parameters(const MacroDefinition& definition, Arguments& arguments) {
  const size_t count = definition.parameters.size();
  const size_t given = std::min(arguments.positional.size(), count);
  std::vector<bool> bound(count, false);
  for (size_t i = 0; i < given; ++i) {
    scope_->set(runtime_, definition.parameters[i].first, arguments.positional[i]);
    bound[i] = true;
  }
  Arguments rest;  // without a parameter of their name
  rest.positional.assign(arguments.positional.begin() + static_cast<std::ptrdiff_t>(given),
                         arguments.positional.end());
  for (const auto& [name, value] : arguments.keyword) {
    runtime_.charge_items(count);
    const auto found = std::find_if(definition.parameters.begin(), definition.parameters.end(),
                                    [&](const auto& parameter) { return parameter.first == name; });
    const auto index = static_cast<size_t>(found - definition.parameters.begin());
    if (index == count || bound[index]) {
      rest.keyword.emplace_back(name, value);
      continue;
    }
    scope_->set(runtime_, found->first, value);
    bound[index] = true;
  }
  bind_special_names(definition, rest);
  for (size_t i = 0; i < count; ++i) {
    const auto& [name, if_absent] = definition.parameters[i];
    if (bound[i]) {
      continue;
    }
    scope_->set(runtime_, name,
                if_absent != nullptr
                    ? evaluate(*if_absent)
                    : undefined_because(fmt::format("parameter '{}' was not provided", name)));
  }
}

void Evaluator::bind_special_names(const MacroDefinition& definition, Arguments& rest) {
  if (definition.uses.caller) {
    const auto caller = std::find_if(rest.keyword.begin(), rest.keyword.end(),
                                     [](const auto& entry) { return entry.first == "caller"; });
    if (caller != rest.keyword.end()) {
      scope_->set(runtime_, "caller", caller->second);
      rest.keyword.erase(caller);
    } else {
      scope_->set(runtime_, "caller", undefined_because("No caller defined"));
    }
  }
  if (definition.uses.kwargs) {
    std::vector<std::pair<Value, Value>> entries;
    for (const auto& [name, value] : rest.keyword) {
      entries.emplace_back(runtime_.text(name), value);
    }
    scope_->set(runtime_, "kwargs", runtime_.dict(entries));
  } else if (!rest.keyword.empty()) {
    runtime_.fail("macro '{}' takes no keyword argument '{}'", definition.name,
                  rest.keyword.front().first);
  }
  if (definition.uses.varargs) {
    scope_->set(runtime_, "varargs", runtime_.tuple(rest.positional));
  } else if (!rest.positional.empty()) {
    runtime_.fail("macro '{}' takes not more than {} argument(s)", definition.name,
                  definition.parameters.size());
  }
}

}  // namespace invar::jinja
