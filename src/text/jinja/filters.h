// The filters of the template language: value | name(arguments).
#pragma once

#include <span>
#include <string_view>

#include "text/jinja/value.h"

namespace invar::jinja {

class Runtime;

struct Filter {
  std::string_view name;
  Value (*apply)(Runtime& runtime, const Value& value, Arguments& arguments);
};

// Null if there is none of that name.
const Filter* find_filter(std::string_view name);

// The filters by what they work on, each list in a file of its own.
std::span<const Filter> text_filters();
std::span<const Filter> sequence_filters();
std::span<const Filter> selection_filters();
std::span<const Filter> order_filters();
std::span<const Filter> number_filters();

}  // namespace invar::jinja
