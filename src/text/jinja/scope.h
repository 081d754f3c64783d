// The names a template sees: one scope per render, loop pass, macro call and block, each looking
// outwards to the one it stands in.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "text/jinja/runtime.h"

namespace invar::jinja {

// The names are views into the syntax tree or the inputs, which outlive the render.
struct Scope {
  std::shared_ptr<Scope> outer;
  std::vector<std::pair<std::string_view, Value>> names;

  // The nearest value of the name, or null.
  const Value* find(Runtime& runtime, std::string_view name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->outer.get()) {
      runtime.charge_items(scope->names.size());
      for (const auto& [known, value] : scope->names) {
        if (known == name) {
          return &value;
        }
      }
    }
    return nullptr;
  }

  // In this scope only.
  void set(Runtime& runtime, std::string_view name, Value value) {
    runtime.charge_items(names.size());
    for (auto& [known, old_value] : names) {
      if (known == name) {
        old_value = std::move(value);
        return;
      }
    }
    names.emplace_back(name, std::move(value));
  }
};

}  // namespace invar::jinja
