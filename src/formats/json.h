// Small JSON files (config.json, generation_config.json, tokenizer_config.json) as nlohmann::json.
// Large ones (tokenizer.json, safetensors headers) are read with simdjson by their own parsers.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace invar {

struct JsonLimits {
  size_t bytes_max = size_t{32} << 20;
  // Arrays and objects inside each other. Checked before a tree is built, because freeing a tree
  // recurses.
  int depth_max = 64;
  // Refuse integers outside [-2^63, 2^64), which the tree would hold as rounded floats. Off for
  // configurations: a published one may say "no limit" by a length of 10^30.
  bool exact_integers = false;
  // Take the bare word Infinity where a value may stand, which some writers of configurations put
  // there, for the object {"__float__": "Infinity"}. -Infinity and NaN stay refused.
  bool infinity = false;
};

// Error kBadFile, "LABEL: line L, byte B: REASON", if the text is not one JSON value, is too large
// or too deep, has a key twice in one object or an integer or a word that JsonLimits refuses. NaN
// and Infinity are not JSON.
nlohmann::json parse_json(const std::string& label, std::string_view text, JsonLimits limits = {});

// For a text that another parser refused for this reason: the error of parse_json, with the place,
// where parse_json finds one; else "LABEL: REASON".
[[noreturn]] void refuse_json(const std::string& label, std::string_view text,
                              std::string_view reason, JsonLimits limits);

// parse_json for a file; also the errors of MappedFile.
nlohmann::json read_json_file(const std::filesystem::path& path, JsonLimits limits = {});

// The same, keys in the file's order and integers exact (messages for a chat template). Lookups in
// large objects are slow.
nlohmann::ordered_json read_ordered_json_file(const std::filesystem::path& path,
                                              JsonLimits limits = {.exact_integers = true});

}  // namespace invar
