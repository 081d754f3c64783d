// Filters that apply a filter or a test to each item (filters.h): map, select, reject, selectattr,
// rejectattr.
#include <algorithm>
#include <array>

#include "text/jinja/attribute_path.h"
#include "text/jinja/compare.h"
#include "text/jinja/filters.h"
#include "text/jinja/parameters.h"
#include "text/jinja/runtime.h"
#include "text/jinja/sequence.h"
#include "text/jinja/value_tests.h"

namespace invar::jinja {
namespace {

Value map_attribute(Runtime& runtime, const Items& items, const Arguments& arguments) {
  const Parameters parameters(runtime, "map", arguments, {"attribute", "default"});
  const AttributePath path(runtime, parameters.at(0));
  const Value if_undefined = parameters.get(1, Value::none());
  std::vector<Value> result;
  for (const Value& item : *items) {
    runtime.step();
    result.push_back(path.of(item, if_undefined));
  }
  return runtime.iterator(std::move(result));
}

// Takes the name of a filter or test out of the arguments.
std::string take_name(Runtime& runtime, Arguments& arguments) {
  const Value name = arguments.positional.front();
  if (!name.is_text()) {
    runtime.fail("the name of a filter or test is a string, not {}", type_name(name));
  }
  arguments.positional.erase(arguments.positional.begin());
  return name.text();
}

// Before a filter or test is applied to one item with a copy of the arguments.
void charge_call(Runtime& runtime, const Value& item, const Arguments& arguments) {
  runtime.step(1 + static_cast<int64_t>(arguments.positional.size() + arguments.keyword.size()));
  runtime.charge_operands(item, arguments);
}

Value map_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  if (!is_true(value)) {
    return runtime.iterator({});
  }
  const Items items = items_of(runtime, value);
  const bool by_attribute = arguments.positional.empty() && !arguments.keyword.empty();
  if (by_attribute) {
    return map_attribute(runtime, items, arguments);
  }
  if (arguments.positional.empty()) {
    runtime.fail("map requires a filter argument");
  }
  const std::string name = take_name(runtime, arguments);
  const Filter* filter = find_filter(name);
  if (filter == nullptr) {
    runtime.fail("no filter named '{}'", name);
  }
  const DepthGuard guard(runtime);  // map may apply map
  std::vector<Value> result;
  for (const Value& item : *items) {
    charge_call(runtime, item, arguments);
    Arguments copy = arguments;
    result.push_back(filter->apply(runtime, item, copy));
  }
  return runtime.iterator(std::move(result));
}

struct Selection {
  std::string_view filter_name;
  bool by_attribute = false;
  bool wanted = true;  // keep the items for which the test holds
};

Value select_items(Runtime& runtime, const Value& value, Arguments& arguments,
                   const Selection& selection) {
  if (!is_true(value)) {
    return runtime.iterator({});
  }
  Value attribute = Value::none();
  if (selection.by_attribute) {
    if (arguments.positional.empty()) {
      runtime.fail("{} misses the name of an attribute", selection.filter_name);
    }
    attribute = arguments.positional.front();
    arguments.positional.erase(arguments.positional.begin());
  }
  const AttributePath path(runtime, attribute);
  const ValueTest* test = nullptr;  // none: truth
  if (!arguments.positional.empty()) {
    const std::string name = take_name(runtime, arguments);
    test = find_value_test(name);
    if (test == nullptr) {
      runtime.fail("no test named '{}'", name);
    }
  }
  const Items items = items_of(runtime, value);
  std::vector<Value> result;
  for (const Value& item : *items) {
    const Value subject = path.of(item);
    charge_call(runtime, subject, arguments);
    Arguments copy = arguments;
    const bool holds = test == nullptr ? is_true(subject) : test->holds(runtime, subject, copy);
    if (holds == selection.wanted) {
      result.push_back(item);
    }
  }
  return runtime.iterator(std::move(result));
}

Value select_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  return select_items(runtime, value, arguments,
                      {.filter_name = "select", .by_attribute = false, .wanted = true});
}

Value reject_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  return select_items(runtime, value, arguments,
                      {.filter_name = "reject", .by_attribute = false, .wanted = false});
}

Value selectattr_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  return select_items(runtime, value, arguments,
                      {.filter_name = "selectattr", .by_attribute = true, .wanted = true});
}

Value rejectattr_filter(Runtime& runtime, const Value& value, Arguments& arguments) {
  return select_items(runtime, value, arguments,
                      {.filter_name = "rejectattr", .by_attribute = true, .wanted = false});
}

constexpr std::array kFilters = {
    Filter{"map", map_filter},
    Filter{"reject", reject_filter},
    Filter{"rejectattr", rejectattr_filter},
    Filter{"select", select_filter},
    Filter{"selectattr", selectattr_filter},
};

}  // namespace

std::span<const Filter> selection_filters() {
  return kFilters;
}

}  // namespace invar::jinja
