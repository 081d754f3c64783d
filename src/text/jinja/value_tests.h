// The tests of the template language: value is name(arguments).
#pragma once

#include <string_view>

#include "text/jinja/value.h"

namespace invar::jinja {

class Runtime;

struct ValueTest {
  std::string_view name;
  bool (*holds)(Runtime& runtime, const Value& value, Arguments& arguments);
};

// Null if there is none of that name.
const ValueTest* find_value_test(std::string_view name);

}  // namespace invar::jinja
