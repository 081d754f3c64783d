// Binds the arguments of a call to the names of a function's parameters, as Python does.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "text/jinja/value.h"

namespace invar::jinja {

class Runtime;

class Parameters {
 public:
  // Fails on unknown, repeated and superfluous arguments. `function` is for messages.
  Parameters(Runtime& runtime, std::string_view function, const Arguments& arguments,
             std::initializer_list<std::string_view> names);

  // Null if the argument is absent.
  const Value* find(size_t index) const;
  // Fails if the argument is absent.
  const Value& at(size_t index) const;
  Value get(size_t index, const Value& if_absent) const;
  bool truth(size_t index, bool if_absent) const;
  // Fails if it is no integer.
  Integer integer(size_t index, Integer if_absent) const;
  // The same, clamped: for counts and widths, whose size is checked where they are used.
  int64_t count(size_t index, int64_t if_absent) const;
  // Fails if it is no text.
  const std::string& text(size_t index) const;
  std::string text(size_t index, std::string_view if_absent) const;

 private:
  Runtime& runtime_;
  std::string function_;
  std::vector<std::string_view> names_;
  std::vector<const Value*> values_;
};

}  // namespace invar::jinja
