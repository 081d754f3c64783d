// object.name and object[index], within what the reference's sandbox allows.
#pragma once

#include <string_view>

#include "text/jinja/value.h"

namespace invar::jinja {

class Runtime;

// A method or attribute first, then the item of that name; undefined if there is neither.
Value attribute_of(Runtime& runtime, const Value& object, std::string_view name);
// The item first, then the attribute of that name; undefined if there is neither.
Value subscript_of(Runtime& runtime, const Value& object, const Value& index);

}  // namespace invar::jinja
