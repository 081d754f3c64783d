// JSON inputs to values.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "text/jinja/value.h"

namespace invar::jinja {

class Runtime;

// The dict of a render's variables. With Runtime::parts_as_text, the contents of `messages` that
// are lists of text parts get their joined text (ListObject::joined_text).
Value convert_variables(Runtime& runtime, const nlohmann::ordered_json& variables);

Value convert_json(Runtime& runtime, const nlohmann::ordered_json& json);

}  // namespace invar::jinja
