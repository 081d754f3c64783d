// Equality, order, membership and truth of values, with Python's rules.
#pragma once

#include "text/jinja/value.h"

namespace invar::jinja {

class Runtime;

// False for nothing, zero and empty; the rest is true.
bool is_true(const Value& value);

// Never fails but for the bound on steps; values of unlike types are unequal.
bool equal(Runtime& runtime, const Value& left, const Value& right);

// Equality of two hashable values.
bool keys_equal(const Value& left, const Value& right);

// left < right. Fails for types without an order between them; `operation` names the operator in
// the message.
bool less(Runtime& runtime, const Value& left, const Value& right,
          std::string_view operation = "<");

// item in container.
bool contains(Runtime& runtime, const Value& container, const Value& item);

}  // namespace invar::jinja
