// The `attribute` argument of filters: "a.b.0", looked up item by item.
#pragma once

#include <vector>

#include "text/jinja/value.h"

namespace invar::jinja {

class Runtime;

class AttributePath {
 public:
  // `attribute` is a text, an integer, or none (the value itself).
  AttributePath(Runtime& runtime, const Value& attribute);

  Value of(const Value& item) const;
  // `if_undefined` stands for each step that is undefined, unless it is none.
  Value of(const Value& item, const Value& if_undefined) const;

 private:
  Runtime& runtime_;
  std::vector<Value> steps_;
};

}  // namespace invar::jinja
