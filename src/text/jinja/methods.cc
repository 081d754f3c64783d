// Finding a method by its name (methods.h).
#include "text/jinja/methods.h"

#include <algorithm>
#include <array>

#include "text/jinja/markup.h"
#include "text/jinja/runtime.h"

namespace invar::jinja {
namespace {

// What the reference's sandbox hides, since templates may not change their inputs.
constexpr std::array<std::string_view, 8> kListChanges = {"append", "clear",  "extend",  "insert",
                                                          "pop",    "remove", "reverse", "sort"};
constexpr std::array<std::string_view, 5> kDictChanges = {"clear", "pop", "popitem", "setdefault",
                                                          "update"};

template <size_t kCount>
bool is_among(const std::array<std::string_view, kCount>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const Method* find_method(const Value& receiver, std::string_view name) {
  std::array<std::span<const Method>, 3> lists;
  if (receiver.is_text()) {
    lists = {text_methods(), text_split_methods(), text_check_methods()};
  } else if (receiver.is_sequence()) {
    lists = {sequence_methods()};
  } else if (receiver.is(Kind::kDict)) {
    lists = {dict_methods()};
  }
  for (const std::span<const Method> methods : lists) {
    for (const Method& method : methods) {
      if (method.name == name) {
        return &method;
      }
    }
  }
  return nullptr;
}

}  // namespace

std::optional<Value> method_of(Runtime& runtime, const Value& receiver, std::string_view name) {
  const bool changes = (receiver.is(Kind::kList) && is_among(kListChanges, name)) ||
                       (receiver.is(Kind::kDict) && is_among(kDictChanges, name));
  if (changes) {
    return undefined_because(fmt::format("access to attribute '{}' of '{}' object is unsafe", name,
                                         type_name(receiver)));
  }
  const Method* method = find_method(receiver, name);
  if (method == nullptr) {
    return std::nullopt;
  }
  return runtime.callable(
      fmt::format("<built-in method {} of {} object>", name, type_name(receiver)),
      [receiver, method](Runtime& r, Arguments& arguments) {
        r.charge_operands(receiver, arguments);
        const Value result = method->call(r, receiver, arguments);
        return receiver.is_markup() ? marked(r, result) : result;
      },
      receiver);
}

}  // namespace invar::jinja
