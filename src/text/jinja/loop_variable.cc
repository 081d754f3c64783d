// The attributes of `loop` (loop_variable.h).
#include "text/jinja/loop_variable.h"

#include <algorithm>

#include "text/jinja/compare.h"
#include "text/jinja/runtime.h"

namespace invar::jinja {
namespace {

Value cycle(Runtime& runtime, const LoopObject& loop, const Arguments& arguments) {
  if (arguments.positional.empty() || !arguments.keyword.empty()) {
    runtime.fail("loop.cycle() takes the items to cycle through");
  }
  return arguments.positional[loop.index0 % arguments.positional.size()];
}

Value changed(Runtime& runtime, LoopObject& loop, const Arguments& arguments) {
  const auto& last = loop.changed_last;
  const auto& now = arguments.positional;
  const bool same =
      loop.changed_called &&
      std::equal(last.begin(), last.end(), now.begin(), now.end(),
                 [&](const Value& a, const Value& b) { return equal(runtime, a, b); });
  // What a loop remembers must not hold the loop itself: the two would never be freed.
  for (const Value& value : now) {
    if (value.object() != nullptr && !value.is_text() && !value.is_undefined()) {
      runtime.fail_unsupported("loop.changed() takes plain values here, not {}", type_name(value));
    }
  }
  loop.changed_last = now;
  loop.changed_called = true;
  return Value::of(!same);
}

}  // namespace

std::optional<Value> loop_attribute(Runtime& runtime, const Value& value, std::string_view name) {
  LoopObject& loop = value.loop();
  const auto index0 = static_cast<int64_t>(loop.index0);
  const auto length = static_cast<int64_t>(loop.items->size());
  if (name == "index0") {
    return Value::of(index0);
  }
  if (name == "index") {
    return Value::of(index0 + 1);
  }
  if (name == "revindex0") {
    return Value::of(length - index0 - 1);
  }
  if (name == "revindex") {
    return Value::of(length - index0);
  }
  if (name == "first") {
    return Value::of(index0 == 0);
  }
  if (name == "last") {
    return Value::of(index0 + 1 == length);
  }
  if (name == "length") {
    return Value::of(length);
  }
  if (name == "depth" || name == "depth0") {
    return Value::of(int64_t{name == "depth"});  // recursive loops alone go deeper
  }
  if (name == "previtem") {
    return index0 > 0 ? (*loop.items)[loop.index0 - 1]
                      : undefined_because("there is no previous item");
  }
  if (name == "nextitem") {
    return index0 + 1 < length ? (*loop.items)[loop.index0 + 1]
                               : undefined_because("there is no next item");
  }
  if (name == "cycle") {
    return runtime.callable(
        "<bound method LoopContext.cycle>",
        [value](Runtime& r, Arguments& arguments) { return cycle(r, value.loop(), arguments); },
        value);
  }
  if (name == "changed") {
    return runtime.callable(
        "<bound method LoopContext.changed>",
        [value](Runtime& r, Arguments& arguments) { return changed(r, value.loop(), arguments); },
        value);
  }
  return std::nullopt;
}

}  // namespace invar::jinja
