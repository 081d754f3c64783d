// The functions a template can call by name: range, dict, namespace, joiner,
// raise_exception, strftime_now.
#pragma once

#include <optional>
#include <string_view>

#include "text/jinja/value.h"

namespace invar::jinja {

class Runtime;

// Empty if there is none of that name.
std::optional<Value> global_function(Runtime& runtime, std::string_view name);

}  // namespace invar::jinja
