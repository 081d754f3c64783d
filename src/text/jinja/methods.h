// The methods of texts, lists, tuples and dicts: value.name(arguments).
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "text/jinja/value.h"

namespace invar::jinja {

class Runtime;

struct Method {
  std::string_view name;
  Value (*call)(Runtime& runtime, const Value& receiver, Arguments& arguments);
};

// The method bound to its receiver; empty if there is none of that name. A method that would change
// its receiver is undefined, with that as the reason.
std::optional<Value> method_of(Runtime& runtime, const Value& receiver, std::string_view name);

// The methods by subject, each list in a file of its own.
std::span<const Method> text_methods();
std::span<const Method> text_split_methods();
std::span<const Method> text_check_methods();
std::span<const Method> sequence_methods();
std::span<const Method> dict_methods();

}  // namespace invar::jinja
