// The names a template sees: one scope per render, loop pass, macro call and block, each looking
// outwards to the one it stands in.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "text/jinja/value.h"

namespace invar::jinja {

// The names are views into the syntax tree or the inputs, which outlive the render.
struct Scope {
  std::shared_ptr<Scope> outer;
  std::vector<std::pair<std::string_view, Value>> names;

  // The nearest value of the name, or null.
  const Value* find(std::string_view name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->outer.get()) {
      for (const auto& [known, value] : scope->names) {
        if (known == name) {
          return &value;
        }
      }
    }
    return nullptr;
  }

  // In this scope only.
  void set(std::string_view name, Value value) {
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
