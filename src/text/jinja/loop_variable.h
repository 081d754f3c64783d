// The attributes of `loop` inside a `for`.
#pragma once

#include <optional>
#include <string_view>

#include "text/jinja/value.h"

namespace invar::jinja {

class Runtime;

// Empty if `loop` has no attribute of that name.
std::optional<Value> loop_attribute(Runtime& runtime, const Value& loop, std::string_view name);

}  // namespace invar::jinja
