// Methods of lists, tuples and dicts (methods.h). Those that change their receiver do not exist.
#include <array>

#include "text/jinja/compare.h"
#include "text/jinja/methods.h"
#include "text/jinja/parameters.h"
#include "text/jinja/runtime.h"

namespace invar::jinja {
namespace {

Value count(Runtime& runtime, const Value& receiver, Arguments& arguments) {
  const Parameters parameters(runtime, "count", arguments, {"value"});
  int64_t matches = 0;
  for (const Value& item : receiver.items()) {
    matches += equal(runtime, item, parameters.at(0));
  }
  return Value::of(matches);
}

Value index(Runtime& runtime, const Value& receiver, Arguments& arguments) {
  const Parameters parameters(runtime, "index", arguments, {"value"});
  int64_t position = 0;
  for (const Value& item : receiver.items()) {
    if (equal(runtime, item, parameters.at(0))) {
      return Value::of(position);
    }
    ++position;
  }
  runtime.fail("the value is not in the {}", type_name(receiver));
}

// Values cannot change, so that a copy is the value itself.
Value copy(Runtime& runtime, const Value& receiver, Arguments& arguments) {
  const Parameters parameters(runtime, "copy", arguments, {});
  return receiver;
}

Value get(Runtime& runtime, const Value& receiver, Arguments& arguments) {
  const Parameters parameters(runtime, "get", arguments, {"key", "default"});
  const Value& key = parameters.at(0);
  runtime.require_hashable(key);
  const Value* value = receiver.dict().find(key);
  return value != nullptr ? *value : parameters.get(1, Value::none());
}

template <DictPart kPart>
Value view(Runtime& runtime, const Value& receiver, Arguments& arguments) {
  const Parameters parameters(runtime, "dict method", arguments, {});
  return runtime.dict_view(receiver, kPart);
}

constexpr std::array kSequenceMethods = {Method{"count", count}, Method{"index", index},
                                         Method{"copy", copy}};

constexpr std::array kDictMethods = {
    Method{"get", get},
    Method{"items", view<DictPart::kItems>},
    Method{"keys", view<DictPart::kKeys>},
    Method{"values", view<DictPart::kValues>},
    Method{"copy", copy},
};

}  // namespace

std::span<const Method> sequence_methods() {
  return kSequenceMethods;
}
std::span<const Method> dict_methods() {
  return kDictMethods;
}

}  // namespace invar::jinja
