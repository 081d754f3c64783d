// The functions a template can call by name (functions.h).
#include "text/jinja/functions.h"

#include <algorithm>
#include <array>
#include <memory>

#include "text/civil_time.h"
#include "text/jinja/parameters.h"
#include "text/jinja/runtime.h"
#include "text/jinja/sequence.h"
#include "text/jinja/to_text.h"

namespace invar::jinja {
namespace {

// A directive of two bytes gives up to some thirty.
constexpr size_t kTimeFormatBytesMax = 4096;

Value call_range(Runtime& runtime, Arguments& arguments) {
  const Parameters parameters(runtime, "range", arguments, {"start", "stop", "step"});
  if (arguments.positional.size() != 1) {
    parameters.at(1);
    return runtime.range(parameters.integer(0, 0), parameters.integer(1, 0),
                         parameters.integer(2, 1));
  }
  return runtime.range(0, parameters.integer(0, 0), 1);
}

// The entries of dict(x, a=1): x is a dict or pairs.
std::vector<std::pair<Value, Value>> dict_entries(Runtime& runtime, const Arguments& arguments) {
  std::vector<std::pair<Value, Value>> entries;
  if (arguments.positional.size() > 1) {
    runtime.fail("dict expected at most 1 argument, got {}", arguments.positional.size());
  }
  for (const Value& source : arguments.positional) {
    if (source.is(Kind::kDict)) {
      entries = source.dict().entries;
      continue;
    }
    const Items pairs = items_of(runtime, source);
    for (const Value& pair : *pairs) {
      const Items parts = items_of(runtime, pair);
      if (parts->size() != 2) {
        runtime.fail("dict() takes pairs, not {} values", parts->size());
      }
      entries.emplace_back((*parts)[0], (*parts)[1]);
    }
  }
  for (const auto& [name, value] : arguments.keyword) {
    entries.emplace_back(runtime.text(name), value);
  }
  return entries;
}

Value call_dict(Runtime& runtime, Arguments& arguments) {
  return runtime.dict(dict_entries(runtime, arguments));
}

Value call_namespace(Runtime& runtime, Arguments& arguments) {
  std::vector<std::pair<std::string, Value>> attributes;
  for (const auto& [key, value] : dict_entries(runtime, arguments)) {
    if (!key.is_text()) {
      runtime.fail("the attributes of a namespace have names, not {}", type_name(key));
    }
    attributes.emplace_back(key.text(), value);
  }
  return runtime.name_space(attributes);
}

Value call_raise_exception(Runtime& runtime, Arguments& arguments) {
  const Parameters parameters(runtime, "raise_exception", arguments, {"message"});
  runtime.fail("{}", to_str(runtime, parameters.at(0)).text());
}

Value call_strftime_now(Runtime& runtime, Arguments& arguments) {
  const Parameters parameters(runtime, "strftime_now", arguments, {"format"});
  if (parameters.text(0).size() > kTimeFormatBytesMax) {
    runtime.fail("strftime_now() takes a format of at most {} bytes, not {}", kTimeFormatBytesMax,
                 parameters.text(0).size());
  }
  return runtime.text(format_civil_time(runtime.now(), parameters.text(0)));
}

Value call_joiner(Runtime& runtime, Arguments& arguments) {
  const Parameters parameters(runtime, "joiner", arguments, {"sep"});
  const Value separator = parameters.get(0, runtime.text(", "));
  return runtime.callable(
      "<joiner>",
      [separator, used = std::make_shared<bool>(false)](Runtime& r, Arguments&) {
        return std::exchange(*used, true) ? separator : r.text("");
      },
      separator);
}

constexpr std::array<std::pair<std::string_view, Value (*)(Runtime&, Arguments&)>, 6> kFunctions = {
    {
        {"range", call_range},
        {"dict", call_dict},
        {"namespace", call_namespace},
        {"raise_exception", call_raise_exception},
        {"strftime_now", call_strftime_now},
        {"joiner", call_joiner},
    }};

}  // namespace

std::optional<Value> global_function(Runtime& runtime, std::string_view name) {
  for (const auto& [known, function] : kFunctions) {
    if (known == name) {
      return runtime.callable(fmt::format("<function {}>", name), function);
    }
  }
  return std::nullopt;
}

}  // namespace invar::jinja
