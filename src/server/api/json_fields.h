// Reads a JSON object field by field and remembers which were read, so that what nobody asked for
// can be refused by name. A null counts as a field that is not there.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace invar {

// "an object", "a string": for messages.
std::string_view json_kind(const nlohmann::json& value);

// Errors are kBadArgument "PLACE.FIELD: expected ..., found ...". The object must outlive it.
class JsonFields {
 public:
  // `place` stands before the names, for example "stream_options."; fails if `object` is none.
  JsonFields(const nlohmann::json& object, std::string place);

  std::string path(std::string_view name) const { return place_ + std::string(name); }

  // Null if it is not there.
  const nlohmann::json* find(std::string_view name);
  // Fails if it is not there. `expected`: "a list of messages".
  const nlohmann::json& get(std::string_view name, std::string_view expected);

  std::optional<std::string> string(std::string_view name);
  std::optional<bool> boolean(std::string_view name);

  struct Integers {
    int64_t min;
    int64_t max;
  };
  std::optional<int64_t> integer(std::string_view name, Integers range);

  struct Numbers {
    double min;
    double max;
    bool min_excluded = false;
  };
  std::optional<double> number(std::string_view name, Numbers range);

  // Fails with the first field, in order of their names, that was not read.
  void refuse_unread() const;

 private:
  const nlohmann::json& object_;
  std::string place_;
  std::set<std::string, std::less<>> read_;
};

// The same checks for values that stand in lists.
std::string json_string(const nlohmann::json& value, const std::string& path);
int64_t json_integer(const nlohmann::json& value, const std::string& path,
                     JsonFields::Integers range);
double json_number(const nlohmann::json& value, const std::string& path, JsonFields::Numbers range);

}  // namespace invar
