// See json_fields.h.
#include "server/api/json_fields.h"

#include "core/error.h"
#include "formats/printable.h"

namespace invar {
namespace {

[[noreturn]] void wrong_kind(const std::string& path, std::string_view expected,
                             const nlohmann::json& found) {
  fail(Code::kBadArgument, "{}: expected {}, found {}", path, expected, json_kind(found));
}

}  // namespace

std::string_view json_kind(const nlohmann::json& value) {
  switch (value.type()) {
    case nlohmann::json::value_t::null:
      return "null";
    case nlohmann::json::value_t::object:
      return "an object";
    case nlohmann::json::value_t::array:
      return "a list";
    case nlohmann::json::value_t::string:
      return "a string";
    case nlohmann::json::value_t::boolean:
      return "a boolean";
    case nlohmann::json::value_t::number_float:
      return "a number with a fraction or an exponent";
    default:
      return "an integer";
  }
}

std::string json_string(const nlohmann::json& value, const std::string& path) {
  if (!value.is_string()) {
    wrong_kind(path, "a string", value);
  }
  return value.get<std::string>();
}

int64_t json_integer(const nlohmann::json& value, const std::string& path,
                     JsonFields::Integers range) {
  if (value.is_number_float()) {
    fail(Code::kBadArgument, "{}: expected an integer of 64 bits, without a fraction, found {}",
         path, value.dump());
  }
  if (!value.is_number_integer()) {
    wrong_kind(path, "an integer", value);
  }
  const bool beyond = value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX;
  if (beyond || value.get<int64_t>() < range.min || value.get<int64_t>() > range.max) {
    fail(Code::kBadArgument, "{}: expected {} to {}, found {}", path, range.min, range.max,
         value.dump());
  }
  return value.get<int64_t>();
}

double json_number(const nlohmann::json& value, const std::string& path,
                   JsonFields::Numbers range) {
  if (!value.is_number()) {
    wrong_kind(path, "a number", value);
  }
  const double number = value.get<double>();
  const bool below = range.min_excluded ? number <= range.min : number < range.min;
  if (below || number > range.max) {
    fail(Code::kBadArgument, "{}: expected {} {} to {}, found {}", path,
         range.min_excluded ? "above" : "from", range.min, range.max, value.dump());
  }
  return number;
}

JsonFields::JsonFields(const nlohmann::json& object, std::string place)
    : object_(object), place_(std::move(place)) {
  if (!object.is_object()) {
    const std::string label = place_.empty() ? "body" : place_.substr(0, place_.size() - 1);
    wrong_kind(label, "an object", object);
  }
}

const nlohmann::json* JsonFields::find(std::string_view name) {
  const auto found = object_.find(name);
  if (found == object_.end()) {
    return nullptr;
  }
  read_.emplace(name);
  return found->is_null() ? nullptr : &*found;
}

const nlohmann::json& JsonFields::get(std::string_view name, std::string_view expected) {
  const nlohmann::json* found = find(name);
  if (found == nullptr) {
    fail(Code::kBadArgument, "{}: expected {}, found none", path(name), expected);
  }
  return *found;
}

std::optional<std::string> JsonFields::string(std::string_view name) {
  const nlohmann::json* found = find(name);
  return found == nullptr ? std::nullopt : std::optional(json_string(*found, path(name)));
}

std::optional<bool> JsonFields::boolean(std::string_view name) {
  const nlohmann::json* found = find(name);
  if (found == nullptr) {
    return std::nullopt;
  }
  if (!found->is_boolean()) {
    wrong_kind(path(name), "a boolean", *found);
  }
  return found->get<bool>();
}

std::optional<int64_t> JsonFields::integer(std::string_view name, Integers range) {
  const nlohmann::json* found = find(name);
  return found == nullptr ? std::nullopt : std::optional(json_integer(*found, path(name), range));
}

std::optional<double> JsonFields::number(std::string_view name, Numbers range) {
  const nlohmann::json* found = find(name);
  return found == nullptr ? std::nullopt : std::optional(json_number(*found, path(name), range));
}

void JsonFields::refuse_unread() const {
  for (const auto& [name, value] : object_.items()) {
    if (!read_.contains(name)) {
      fail(Code::kUnsupported, "{}: this field is not supported", path(printable(name)));
    }
  }
}

}  // namespace invar
