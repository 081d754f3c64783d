// object.name and object[index] (access.h).
#include "text/jinja/access.h"

#include "text/jinja/loop_variable.h"
#include "text/jinja/methods.h"
#include "text/jinja/runtime.h"
#include "text/jinja/sequence.h"
#include "text/jinja/to_text.h"

namespace invar::jinja {
namespace {

std::string object_name(const Value& object) {
  return object.is_none() ? "None" : fmt::format("{} object", type_name(object));
}

Value missing_attribute(Runtime& runtime, const Value& object, std::string_view name) {
  runtime.charge_text(name.size());
  return undefined_because(fmt::format("'{}' has no attribute '{}'", object_name(object), name));
}

// Methods and attributes proper; items are not looked at. Empty if there is none of the name.
std::optional<Value> own_attribute(Runtime& runtime, const Value& object, std::string_view name) {
  if (object.is(Kind::kNamespace)) {
    runtime.charge_items(object.name_space().attributes.size());
    const Value* value = object.name_space().find(name);
    return value == nullptr ? std::nullopt : std::optional<Value>(*value);
  }
  if (object.is(Kind::kLoop)) {
    return loop_attribute(runtime, object, name);
  }
  if (object.is(Kind::kTuple) && object.list().is_group && (name == "grouper" || name == "list")) {
    return object.items()[name == "grouper" ? 0 : 1];
  }
  if (std::optional<Value> method = method_of(runtime, object, name)) {
    return method;
  }
  if (object.is(Kind::kList) && object.list().joined_text.is_text()) {
    return method_of(runtime, object.list().joined_text, name);
  }
  return std::nullopt;
}

std::optional<Value> item_of(Runtime& runtime, const Value& object, const Value& index) {
  if (object.is(Kind::kDict)) {
    runtime.charge_key(index);
    const Value* value = is_hashable(index) ? object.dict().find(index) : nullptr;
    return value == nullptr ? std::nullopt : std::optional<Value>(*value);
  }
  return index.is_integral() ? item_at(runtime, object, index.integer()) : std::nullopt;
}

}  // namespace

Value attribute_of(Runtime& runtime, const Value& object, std::string_view name) {
  runtime.require_defined(object);
  if (std::optional<Value> attribute = own_attribute(runtime, object, name)) {
    return *attribute;
  }
  if (object.is(Kind::kDict)) {
    if (const Value* value = object.dict().find(name); value != nullptr) {
      return *value;
    }
  }
  return missing_attribute(runtime, object, name);
}

Value subscript_of(Runtime& runtime, const Value& object, const Value& index) {
  runtime.require_defined(object);
  if (std::optional<Value> item = item_of(runtime, object, index)) {
    return *item;
  }
  if (index.is_text()) {
    if (std::optional<Value> attribute = own_attribute(runtime, object, index.text())) {
      return *attribute;
    }
    return missing_attribute(runtime, object, index.text());
  }
  TextBuilder text(runtime);
  append_repr(text, runtime, index);
  return undefined_because(fmt::format("{} has no element {}", object_name(object), text.str()));
}

}  // namespace invar::jinja
