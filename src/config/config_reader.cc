// Lookup, type checks and the record of what was read.
#include "config/config_reader.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "formats/printable.h"

namespace invar {
namespace {

// Scalars, strings and short arrays of GGUF metadata as JSON, so that checks are written once.
nlohmann::json to_json(const GgufFile& file, std::string_view key, const GgufValue& value) {
  switch (value.type) {
    case GgufType::kBool:
      return value.scalar<bool>();
    case GgufType::kF32:
      return static_cast<double>(value.scalar<float>());
    case GgufType::kF64:
      return value.scalar<double>();
    case GgufType::kString:
      return std::string(value.string());
    case GgufType::kArray:
      if (value.element_type == GgufType::kString) {
        return file.get_strings(key);
      }
      if (value.element_type == GgufType::kF32) {
        return file.get_array<float>(key);
      }
      if (value.element_type == GgufType::kBool) {
        return file.get_array<bool>(key);
      }
      return file.get_integers(key);
    default:
      return file.get_integer(key);
  }
}

// As json.h reads the word Infinity.
bool is_infinity(const nlohmann::json& value) {
  return value == nlohmann::json({{"__float__", "Infinity"}});
}

bool is_int64(const nlohmann::json& value) {
  return value.is_number_integer() &&
         (!value.is_number_unsigned() || value.get<uint64_t>() <= INT64_MAX);
}

std::string describe(NumberRange range) {
  const NumberRange any;
  return range.min == any.min && range.max == any.max
             ? "a number"
             : fmt::format("a number from {} to {}", range.min, range.max);
}

}  // namespace

std::string short_text(const nlohmann::json& value) {
  if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    return fmt::format("{}", value.get<double>());  // GGUF can hold what JSON cannot
  }
  if (is_infinity(value)) {
    return "Infinity";
  }
  std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  constexpr size_t kShown = 80;
  return text.size() <= kShown ? text : text.substr(0, kShown) + "...";
}

ConfigReader::ConfigReader(std::string label, nlohmann::json object)
    : label_(std::move(label)), json_(std::move(object)) {
  if (!json_.is_object()) {
    fail(Code::kBadFile, "{}: expected an object, found {}", label_, json_.type_name());
  }
}

ConfigReader::ConfigReader(const GgufFile& file) : label_(file.label()), gguf_(&file) {
  prefix_ = std::string(file.get_string("general.architecture")) + ".";
}

std::string ConfigReader::architecture() {
  if (is_gguf()) {
    return prefix_.substr(0, prefix_.size() - 1);
  }
  const auto type = find_string({"model_type", ""});
  if (!type) {
    wrong({"model_type", ""}, "a string", nullptr);
  }
  return *type;
}

std::string ConfigReader::full_key(ConfigKey key) const {
  return is_gguf() ? prefix_ + std::string(key.gguf) : std::string(key.hf);
}

std::optional<nlohmann::json> ConfigReader::take(ConfigKey key) {
  if ((is_gguf() ? key.gguf : key.hf).empty()) {
    return std::nullopt;
  }
  const std::string name = full_key(key);
  read_.insert(name);
  if (is_gguf()) {
    const GgufValue* value = gguf_->find_value(name);
    return value == nullptr ? std::nullopt : std::optional(to_json(*gguf_, name, *value));
  }
  const auto found = json_.find(name);
  return found == json_.end() || found->is_null() ? std::nullopt
                                                  : std::optional<nlohmann::json>(*found);
}

void ConfigReader::wrong(ConfigKey key, std::string_view expected,
                         const nlohmann::json& found) const {
  fail(Code::kBadFile, "{}: expected {}, found {}", place(key), expected,
       found.is_null() ? "nothing" : short_text(found));
}

std::string ConfigReader::place(ConfigKey key) const {
  return fmt::format("{}: key '{}'", label_, full_key(key));
}

std::optional<int64_t> ConfigReader::find_integer(ConfigKey key, IntegerRange range) {
  const auto value = take(key);
  if (!value) {
    return std::nullopt;
  }
  if (!is_int64(*value) || value->get<int64_t>() < range.min || value->get<int64_t>() > range.max) {
    wrong(key, fmt::format("an integer from {} to {}", range.min, range.max), *value);
  }
  return value->get<int64_t>();
}

int64_t ConfigReader::get_integer(ConfigKey key, IntegerRange range) {
  const auto value = find_integer(key, range);
  if (!value) {
    wrong(key, fmt::format("an integer from {} to {}", range.min, range.max), nullptr);
  }
  return *value;
}

std::optional<double> ConfigReader::find_number(ConfigKey key, NumberRange range) {
  const auto value = take(key);
  if (!value) {
    return std::nullopt;
  }
  const bool fits =
      value->is_number() && value->get<double>() >= range.min && value->get<double>() <= range.max;
  if (!fits) {
    wrong(key, describe(range), *value);
  }
  return value->get<double>();
}

double ConfigReader::get_number(ConfigKey key, NumberRange range) {
  const auto value = find_number(key, range);
  if (!value) {
    wrong(key, describe(range), nullptr);
  }
  return *value;
}

std::optional<bool> ConfigReader::find_boolean(ConfigKey key) {
  const auto value = take(key);
  if (!value) {
    return std::nullopt;
  }
  if (!value->is_boolean()) {
    wrong(key, "true or false", *value);
  }
  return value->get<bool>();
}

std::optional<std::string> ConfigReader::find_string(ConfigKey key) {
  const auto value = take(key);
  if (!value) {
    return std::nullopt;
  }
  if (!value->is_string()) {
    wrong(key, "a string", *value);
  }
  return value->get<std::string>();
}

std::vector<int64_t> ConfigReader::integers(ConfigKey key) {
  const auto value = take(key);
  if (!value) {
    return {};
  }
  const nlohmann::json list = value->is_array() ? *value : nlohmann::json::array({*value});
  std::vector<int64_t> integers;
  for (const nlohmann::json& item : list) {
    if (!is_int64(item)) {
      wrong(key, "an integer or a list of integers", *value);
    }
    integers.push_back(item.get<int64_t>());
  }
  return integers;
}

std::vector<int64_t> ConfigReader::token_ids(ConfigKey key, int64_t vocabulary) {
  std::vector<int64_t> ids = integers(key);
  for (const int64_t id : ids) {
    if (id < 0 || id >= vocabulary) {
      wrong(key, fmt::format("token ids from 0 to {}", vocabulary - 1), id);
    }
  }
  return ids;
}

std::vector<double> ConfigReader::numbers(ConfigKey key) {
  const nlohmann::json value = take(key).value_or(nlohmann::json::array());
  if (!value.is_array()) {
    wrong(key, "a list of numbers", value);
  }
  std::vector<double> numbers;
  for (const nlohmann::json& item : value) {
    const bool infinite = is_infinity(item);
    if (!item.is_number() && !infinite) {
      wrong(key, "a list of numbers", value);
    }
    numbers.push_back(infinite ? std::numeric_limits<double>::infinity() : item.get<double>());
  }
  return numbers;
}

std::vector<std::string> ConfigReader::strings(ConfigKey key) {
  const auto value = take(key);
  if (!value) {
    return {};
  }
  if (!value->is_array()) {
    wrong(key, "a list of strings", *value);
  }
  std::vector<std::string> strings;
  for (const nlohmann::json& item : *value) {
    if (!item.is_string()) {
      wrong(key, "a list of strings", *value);
    }
    strings.push_back(item.get<std::string>());
  }
  return strings;
}

std::vector<bool> ConfigReader::kinds(std::string_view hf_key,
                                      const std::array<std::string_view, 2>& known,
                                      std::string_view wanted) {
  std::vector<bool> kinds;
  for (const std::string& kind : strings({hf_key, ""})) {
    if (std::ranges::find(known, kind) == known.end()) {
      fail(Code::kUnsupported, "{}: key '{}': expected '{}' or '{}', found '{}'", label(), hf_key,
           known[0], known[1], kind);
    }
    kinds.push_back(kind == wanted);
  }
  return kinds;
}

std::vector<bool> ConfigReader::booleans(ConfigKey key) {
  const nlohmann::json value = take(key).value_or(nlohmann::json::array());
  if (!value.is_array()) {
    wrong(key, "a list of true and false", value);
  }
  std::vector<bool> booleans;
  for (const nlohmann::json& item : value) {
    if (!item.is_boolean()) {
      wrong(key, "a list of true and false", value);
    }
    booleans.push_back(item.get<bool>());
  }
  return booleans;
}

std::optional<ConfigReader> ConfigReader::object(std::string_view hf_key) {
  const ConfigKey key{hf_key, ""};
  auto value = take(key);
  if (!value) {
    return std::nullopt;
  }
  if (!value->is_object()) {
    wrong(key, "an object", *value);
  }
  return ConfigReader(fmt::format("{}: {}", label_, hf_key), *std::move(value));
}

bool ConfigReader::has(ConfigKey key) const {
  const std::string name = full_key(key);
  if (is_gguf()) {
    return !key.gguf.empty() && gguf_->find_value(name) != nullptr;
  }
  const auto found = json_.find(name);
  return found != json_.end() && !found->is_null();
}

void ConfigReader::set_default(std::string_view hf_key, const nlohmann::json& value) {
  if (!has({hf_key, ""})) {
    json_[std::string(hf_key)] = value;
  }
}

void ConfigReader::require(ConfigKey key, const nlohmann::json& expected) {
  const auto value = take(key);
  if (value && *value != expected) {
    fail(Code::kUnsupported, "{}: key '{}': only {} is supported, found {}", label_, full_key(key),
         short_text(expected), short_text(*value));
  }
}

void ConfigReader::ignore(std::span<const std::string_view> hf_keys) {
  for (std::string_view key : hf_keys) {
    read_.insert(std::string(key));
  }
}

void ConfigReader::refuse_unread() const {
  std::vector<std::string> unread;
  if (is_gguf()) {
    for (const GgufEntry& entry : gguf_->entries()) {
      if (entry.key.starts_with(prefix_) && !read_.contains(entry.key)) {
        unread.push_back(fmt::format("'{}'", printable(entry.key)));
      }
    }
  } else {
    for (const auto& [key, value] : json_.items()) {
      // A null key says nothing.
      if (!read_.contains(key) && !value.is_null()) {
        unread.push_back(fmt::format("'{}'", printable(key)));
      }
    }
  }
  if (!unread.empty()) {
    fail(Code::kUnsupported, "{}: unknown key(s), which may change the computation: {}", label_,
         first_few(unread, ", "));
  }
}

}  // namespace invar
