// A fact that a configuration may state under several keys. Statements that differ refuse it by
// name: which of them the checkpoint was trained with cannot be known.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "config/config_reader.h"
#include "core/error.h"

namespace invar {

// What a message says of two statements that differ.
struct StatedDifference {
  std::string expected;
  std::string found;
};
StatedDifference stated_difference(const nlohmann::json& first, const nlohmann::json& second);
// By layer, whether it has attention: the first layer that differs.
StatedDifference stated_difference(const std::vector<bool>& first, const std::vector<bool>& second);

// T: what JSON holds, or std::vector<bool> as above.
template <class T>
class StatedFact {
 public:
  // Nothing where `value` is empty. Error kBadFile: "FILE: key 'K': expected A (as FILE: key 'L'
  // states), found B".
  void add(const ConfigReader& reader, ConfigKey key, const std::optional<T>& value) {
    if (!value) {
      return;
    }
    if (!value_) {
      value_ = value;
      first_ = reader.place(key);
    } else if (*value != *value_) {
      const StatedDifference difference = stated_difference(*value_, *value);
      fail(Code::kBadFile, "{}: expected {} (as {} states), found {}", reader.place(key),
           difference.expected, first_, difference.found);
    }
  }

  // Empty if nothing states it.
  const std::optional<T>& value() const { return value_; }
  T value_or(T otherwise) const { return value_.value_or(std::move(otherwise)); }

 private:
  std::optional<T> value_;
  std::string first_;  // where it stands
};

}  // namespace invar
