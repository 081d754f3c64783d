// Binding of arguments (parameters.h).
#include "text/jinja/parameters.h"

#include <algorithm>

#include "text/jinja/compare.h"
#include "text/jinja/runtime.h"

namespace invar::jinja {

Parameters::Parameters(Runtime& runtime, std::string_view function, const Arguments& arguments,
                       std::initializer_list<std::string_view> names)
    : runtime_(runtime), function_(function), names_(names), values_(names.size(), nullptr) {
  if (arguments.positional.size() > names_.size()) {
    runtime.fail("{}() takes at most {} arguments ({} given)", function, names_.size(),
                 arguments.positional.size());
  }
  for (size_t i = 0; i < arguments.positional.size(); ++i) {
    values_[i] = &arguments.positional[i];
  }
  for (const auto& [name, value] : arguments.keyword) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) {
      runtime.fail("{}() got an unexpected keyword argument '{}'", function, name);
    }
    const auto index = static_cast<size_t>(found - names_.begin());
    if (values_[index] != nullptr) {
      runtime.fail("{}() got multiple values for argument '{}'", function, name);
    }
    values_[index] = &value;
  }
}

const Value* Parameters::find(size_t index) const {
  return values_[index];
}

const Value& Parameters::at(size_t index) const {
  if (values_[index] == nullptr) {
    runtime_.fail("{}() misses its argument '{}'", function_, names_[index]);
  }
  return *values_[index];
}

Value Parameters::get(size_t index, const Value& if_absent) const {
  return values_[index] == nullptr ? if_absent : *values_[index];
}

bool Parameters::truth(size_t index, bool if_absent) const {
  return values_[index] == nullptr ? if_absent : is_true(*values_[index]);
}

Integer Parameters::integer(size_t index, Integer if_absent) const {
  const Value* value = values_[index];
  if (value == nullptr) {
    return if_absent;
  }
  if (!value->is_integral()) {
    runtime_.require_defined(*value);
    runtime_.fail("{}(): argument '{}' must be an integer, not {}", function_, names_[index],
                  type_name(*value));
  }
  return value->integer();
}

int64_t Parameters::count(size_t index, int64_t if_absent) const {
  return static_cast<int64_t>(std::clamp<Integer>(integer(index, if_absent), INT32_MIN, INT32_MAX));
}

const std::string& Parameters::text(size_t index) const {
  const Value& value = at(index);
  if (!value.is_text()) {
    runtime_.require_defined(value);
    runtime_.fail("{}(): argument '{}' must be a string, not {}", function_, names_[index],
                  type_name(value));
  }
  return value.text();
}

std::string Parameters::text(size_t index, std::string_view if_absent) const {
  return values_[index] == nullptr ? std::string(if_absent) : text(index);
}

}  // namespace invar::jinja
