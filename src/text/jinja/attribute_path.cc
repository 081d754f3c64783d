// The `attribute` argument of filters (attribute_path.h).
#include "text/jinja/attribute_path.h"

#include <algorithm>

#include "text/jinja/access.h"
#include "text/jinja/literals.h"
#include "text/jinja/runtime.h"

namespace invar::jinja {
namespace {

Value step_of(Runtime& runtime, std::string_view name) {
  const bool is_index = !name.empty() && std::all_of(name.begin(), name.end(),
                                                     [](char c) { return c >= '0' && c <= '9'; });
  if (!is_index) {
    return runtime.text(std::string(name));
  }
  const NumberScan scan = scan_number(name, true);
  if (!scan.error.empty()) {
    runtime.fail("attribute '{}': {}", name, scan.error);
  }
  return scan.value;
}

}  // namespace

AttributePath::AttributePath(Runtime& runtime, const Value& attribute) : runtime_(runtime) {
  if (attribute.is_none()) {
    return;
  }
  if (!attribute.is_text()) {
    steps_.push_back(attribute);
    return;
  }
  std::string_view rest = attribute.text();
  while (true) {
    const size_t dot = rest.find('.');
    steps_.push_back(step_of(runtime, rest.substr(0, dot)));
    if (dot == std::string_view::npos) {
      return;
    }
    rest.remove_prefix(dot + 1);
  }
}

Value AttributePath::of(const Value& item) const {
  return of(item, Value::none());
}

Value AttributePath::of(const Value& item, const Value& if_undefined) const {
  Value result = item;
  for (const Value& step : steps_) {
    runtime_.step();
    result = subscript_of(runtime_, result, step);
    if (result.is_undefined() && !if_undefined.is_none()) {
      result = if_undefined;
    }
  }
  return result;
}

}  // namespace invar::jinja
