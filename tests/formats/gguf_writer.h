// Test support: builds GGUF files in memory, good ones and malformed ones. Used by the tests of
// formats/, weights/, config/, text/ and models/ (CMake library `gguf_writer`).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/ggml_type.h"
#include "formats/gguf_value.h"

namespace invar {

// The bytes of a text, for parsers that take spans. The text must outlive the span.
std::span<const std::byte> bytes_of(std::string_view text);

// Little-endian bytes of a number.
template <class T>
std::string number_bytes(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}
std::string gguf_string_bytes(std::string_view text);  // length, then the text
// Element type, count, elements: the value of an array, for add_raw and nested arrays.
struct GgufArrayParts {
  uint32_t element_type = 0;
  uint64_t count = 0;
  std::string elements = {};
};
std::string gguf_array_bytes(const GgufArrayParts& parts);

struct GgufTensorSpec {
  std::string name;
  GgmlType type = GgmlType::kF32;
  std::vector<int64_t> shape;  // slowest axis first; written in the file's reverse order
  std::string data;            // not checked against type and shape
  // What to write instead of the right value, for malformed files.
  std::optional<uint32_t> type_id = std::nullopt;
  std::optional<uint32_t> axes = std::nullopt;
  std::optional<uint64_t> offset = std::nullopt;
};

// Keys and tensors come in the order of the calls. build() may be called again after changes.
class GgufWriter {
 public:
  // Header fields, to be changed before build(); the counts default to the true ones.
  std::string magic = "GGUF";
  uint32_t version = 3;
  std::optional<uint64_t> tensor_count;
  std::optional<uint64_t> entry_count;
  // Where tensor data is placed. set_alignment also adds the key "general.alignment".
  uint32_t alignment = 32;

  template <class T>
  void add(std::string_view key, T value) {
    add_raw(key, static_cast<uint32_t>(gguf_type_of<T>()), number_bytes(value));
  }
  void add_string(std::string_view key, std::string_view value);
  template <class T>
  void add_array(std::string_view key, std::span<const T> values) {
    add_raw(key, static_cast<uint32_t>(GgufType::kArray),
            gguf_array_bytes({.element_type = static_cast<uint32_t>(gguf_type_of<T>()),
                              .count = values.size(),
                              .elements = std::string(reinterpret_cast<const char*>(values.data()),
                                                      values.size_bytes())}));
  }
  void add_strings(std::string_view key, std::span<const std::string> values);
  // A value of any type id with exactly these bytes.
  void add_raw(std::string_view key, uint32_t type_id, std::string_view value_bytes);
  void set_alignment(uint32_t value);

  void add_tensor(GgufTensorSpec tensor);
  // A tensor of zero bytes of the right length for its type and shape.
  void add_zero_tensor(std::string name, GgmlType type, std::vector<int64_t> shape);

  std::string build() const;
  void write(const std::filesystem::path& path) const;

 private:
  std::string entries_;
  uint64_t entries_added_ = 0;
  std::vector<GgufTensorSpec> tensors_;
};

}  // namespace invar
