// Reader of GGUF files (versions 2 and 3, little endian): metadata and tensors as views of a
// mapping. What keys and tensors mean is not known here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/ggml_type.h"
#include "formats/gguf_value.h"
#include "formats/mapped_file.h"

namespace invar {

struct GgufEntry {
  std::string_view key;
  GgufValue value;
};

struct GgufTensor {
  std::string_view name;
  GgmlType type = GgmlType::kF32;
  // Slowest axis first, as in a Hugging Face checkpoint: [rows, columns] for a matrix. (The file
  // stores the reverse.) Rows are stored one after the other; empty for a scalar.
  std::vector<int64_t> shape;
  // Exactly the tensor's bytes; aligned to alignment() relative to the start of the file.
  std::span<const std::byte> data;
};

// One file. Move-only; every view points into the mapping and lives as long as this object (moving
// it keeps them valid). All methods are const and may be called from any thread.
class GgufFile {
 public:
  // Errors: those of MappedFile; kUnsupported for version 1 and big-endian files; kBadFile if the
  // content breaks the format's rules. Messages begin with the path and name the key or tensor.
  static GgufFile open(const std::filesystem::path& path);
  // The same over bytes that the caller keeps alive; `label` stands for the path in messages.
  static GgufFile parse(std::string label, std::span<const std::byte> bytes);

  const std::string& label() const { return label_; }
  uint32_t version() const { return version_; }
  uint32_t alignment() const { return alignment_; }

  // Metadata and tensors in the file's order.
  const std::vector<GgufEntry>& entries() const { return entries_; }
  const std::vector<GgufTensor>& tensors() const { return tensors_; }
  // Null if there is none of this name.
  [[nodiscard]] const GgufTensor* find_tensor(std::string_view name) const;
  [[nodiscard]] const GgufValue* find_value(std::string_view key) const;

  // Checked lookups. find_...: empty if the key is missing. get_...: Error kBadFile if it is
  // missing. Both: Error kBadFile if the value has another type:
  // "FILE: key 'llama.block_count': expected u32, found string".

  // T: uint8_t ... int64_t, float, double, bool: exactly this type.
  template <class T>
  [[nodiscard]] std::optional<T> find(std::string_view key) const {
    const GgufValue* value = find_typed(key, gguf_type_of<T>());
    return value == nullptr ? std::nullopt : std::optional<T>(value->scalar<T>());
  }
  template <class T>
  [[nodiscard]] T get(std::string_view key) const {
    return required(find<T>(key), {.key = key, .expected = type_text(gguf_type_of<T>())});
  }
  [[nodiscard]] std::optional<std::string_view> find_string(std::string_view key) const;
  [[nodiscard]] std::string_view get_string(std::string_view key) const;
  // Any of the eight integer types, if the value fits an int64_t: files differ in the width.
  [[nodiscard]] std::optional<int64_t> find_integer(std::string_view key) const;
  [[nodiscard]] int64_t get_integer(std::string_view key) const;

  // Arrays of exactly this element type, copied (they are unaligned in the file).
  template <class T>
  [[nodiscard]] std::optional<std::vector<T>> find_array(std::string_view key) const {
    const GgufValue* value = find_array_typed(key, gguf_type_of<T>());
    return value == nullptr ? std::nullopt : std::optional(value->numbers<T>());
  }
  template <class T>
  [[nodiscard]] std::vector<T> get_array(std::string_view key) const {
    return required(find_array<T>(key), {.key = key, .expected = array_text(gguf_type_of<T>())});
  }
  // Arrays of strings as views into the mapping.
  [[nodiscard]] std::optional<std::vector<std::string_view>> find_strings(
      std::string_view key) const;
  [[nodiscard]] std::vector<std::string_view> get_strings(std::string_view key) const;
  // Arrays of any integer type but u64, which no published file uses for arrays.
  [[nodiscard]] std::optional<std::vector<int64_t>> find_integers(std::string_view key) const;
  [[nodiscard]] std::vector<int64_t> get_integers(std::string_view key) const;

  // See MappedFile::drop_pages; does nothing for a file made by parse().
  void drop_pages(const GgufTensor& tensor) const;

 private:
  friend class GgufParser;
  GgufFile() = default;

  static std::string type_text(GgufType type);
  static std::string array_text(GgufType element_type);
  const GgufValue* find_typed(std::string_view key, GgufType type) const;
  const GgufValue* find_array_typed(std::string_view key, GgufType element_type) const;
  int64_t integer_of(std::string_view key, const GgufValue& value) const;
  struct Mismatch {
    std::string_view key;
    std::string expected;
    std::string found = "nothing";
  };
  [[noreturn]] void wrong_type(const Mismatch& mismatch) const;

  template <class T>
  T required(std::optional<T> value, const Mismatch& missing) const {
    if (!value) {
      wrong_type(missing);
    }
    return *std::move(value);
  }

  std::string label_;
  std::optional<MappedFile> mapping_;
  uint32_t version_ = 0;
  uint32_t alignment_ = 0;
  std::vector<GgufEntry> entries_;
  std::vector<GgufTensor> tensors_;
  std::vector<size_t> entries_by_key_;   // indices, sorted by key
  std::vector<size_t> tensors_by_name_;  // indices, sorted by name
};

}  // namespace invar
