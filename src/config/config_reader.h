// Typed, checked access to a model's configuration keys, the same for config.json (Hugging Face)
// and GGUF metadata. A reader remembers which keys were read, so that a key whose meaning nobody
// knows refuses the checkpoint instead of being ignored.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/gguf.h"

namespace invar {

// The two spellings of one key. `gguf` is without the architecture's prefix; empty where that
// format has no such key.
struct ConfigKey {
  std::string_view hf;
  std::string_view gguf;
};

struct IntegerRange {
  int64_t min = 0;
  int64_t max = 0;
};

// Both ends belong to it. The default is every finite number.
struct NumberRange {
  double min = std::numeric_limits<double>::lowest();
  double max = std::numeric_limits<double>::max();
};

class ConfigReader {
 public:
  // `label` begins every message, usually the file's path. The GGUF file must outlive the reader.
  ConfigReader(std::string label, nlohmann::json object);
  explicit ConfigReader(const GgufFile& file);

  bool is_gguf() const { return gguf_ != nullptr; }
  const std::string& label() const { return label_; }
  // HF: model_type. GGUF: general.architecture.
  std::string architecture();

  // Each marks its key as read. Error kBadFile: "FILE: key 'K': expected ..., found ...".
  int64_t get_integer(ConfigKey key, IntegerRange range);
  std::optional<int64_t> find_integer(ConfigKey key, IntegerRange range);
  std::optional<double> find_number(ConfigKey key, NumberRange range = {});
  double get_number(ConfigKey key, NumberRange range = {});
  std::optional<bool> find_boolean(ConfigKey key);
  std::optional<std::string> find_string(ConfigKey key);
  // One integer or a list of them (eos_token_id).
  std::vector<int64_t> integers(ConfigKey key);
  // The same for ids of a vocabulary of this size: each must be in it.
  std::vector<int64_t> token_ids(ConfigKey key, int64_t vocabulary);
  // A list of numbers; {"__float__": "Infinity"} stands for what JSON cannot write (json.h).
  std::vector<double> numbers(ConfigKey key);
  std::vector<std::string> strings(ConfigKey key);
  std::vector<bool> booleans(ConfigKey key);
  // Of a list of strings with two known ones: whether each is `wanted`.
  std::vector<bool> kinds(std::string_view hf_key, const std::array<std::string_view, 2>& known,
                          std::string_view wanted);
  // A nested object of config.json; empty if absent or null. Its own reader tracks its keys.
  std::optional<ConfigReader> object(std::string_view hf_key);
  bool has(ConfigKey key) const;
  // What the key of config.json means where it is absent or null.
  void set_default(std::string_view hf_key, const nlohmann::json& value);

  // "FILE: key 'K'", as messages name a key.
  std::string place(ConfigKey key) const;

  // The error of all of these, for what only a family can check.
  [[noreturn]] void wrong(ConfigKey key, std::string_view expected,
                          const nlohmann::json& found) const;

  // The key must be absent, null, or equal this value; anything else is kUnsupported, because the
  // computation would differ.
  void require(ConfigKey key, const nlohmann::json& value);
  // Keys that do not change the computation.
  void ignore(std::span<const std::string_view> hf_keys);
  // Throws kUnsupported naming every key that was neither read nor ignored.
  void refuse_unread() const;

 private:
  // The key's value, marked as read; empty if absent or null.
  std::optional<nlohmann::json> take(ConfigKey key);
  std::string full_key(ConfigKey key) const;

  std::string label_;
  nlohmann::json json_;             // of config.json; an object
  const GgufFile* gguf_ = nullptr;  // null for config.json
  std::string prefix_;              // GGUF: for example "llama."
  std::set<std::string, std::less<>> read_;
};

// A value as messages show it: JSON, cut where it is long.
std::string short_text(const nlohmann::json& value);

}  // namespace invar
