// Reader and writer of safetensors files: a header in JSON, then the tensors' bytes.
// Nothing here converts or copies tensor data; sharded checkpoints are in checkpoint.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/mapped_file.h"

namespace invar {

// Every element type that the format publishes. F4 and the F6 types are packed without gaps.
enum class SafetensorsType : uint8_t {
  kBool,
  kF4,
  kF6E2M3,
  kF6E3M2,
  kU8,
  kI8,
  kF8E5M2,
  kF8E4M3,
  kF8E8M0,
  kF8E4M3Fnuz,
  kF8E5M2Fnuz,
  kI16,
  kU16,
  kF16,
  kBF16,
  kI32,
  kU32,
  kF32,
  kC64,
  kF64,
  kI64,
  kU64,
};

// The format's own spelling, for example "F8_E4M3".
std::string_view safetensors_type_name(SafetensorsType type);
std::optional<SafetensorsType> parse_safetensors_type(std::string_view name);
int safetensors_type_bits(SafetensorsType type);

struct TensorEntry {
  std::string name;
  SafetensorsType type;
  std::vector<int64_t> shape;       // slowest axis first; empty for a scalar
  std::span<const std::byte> data;  // exactly the elements; the address may be unaligned
};

// One file. Move-only; entries point into the mapping and live as long as this object (moving it
// keeps them valid). All methods are const and may be called from any thread.
class SafetensorsFile {
 public:
  // Errors: those of MappedFile, and kBadFile with "PATH: tensor 'NAME': FIELD: expected ..., found
  // ..." if the content breaks the format's rules: offsets inside the file, sizes equal to the
  // shape's, no overlap, no hole, no name twice.
  static SafetensorsFile open(const std::filesystem::path& path);
  // The same over bytes that the caller keeps alive; `label` stands for the path in messages.
  static SafetensorsFile parse(std::string label, std::span<const std::byte> bytes);

  const std::string& label() const { return label_; }
  // In the order of their bytes in the file.
  const std::vector<TensorEntry>& tensors() const { return tensors_; }
  // Null if there is no tensor of this name.
  [[nodiscard]] const TensorEntry* find(std::string_view name) const;
  // The strings of "__metadata__".
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

  // See MappedFile::drop_pages; does nothing for a file made by parse().
  void drop_pages(const TensorEntry& entry) const;

 private:
  friend class SafetensorsHeaderParser;
  SafetensorsFile() = default;

  std::string label_;
  std::optional<MappedFile> mapping_;
  std::vector<TensorEntry> tensors_;
  std::vector<size_t> by_name_;  // indices into tensors_, sorted by name
  std::map<std::string, std::string> metadata_;
};

// Collects tensors and writes them as one file. Not thread-safe.
class SafetensorsWriter {
 public:
  // The data is not copied: it must live until write(). The names must differ and be valid UTF-8,
  // and data.size() must be the product of the shape (anything else is a bug of the caller).
  void add_f32(std::string name, std::vector<int64_t> shape, std::span<const float> data);
  void add_i32(std::string name, std::vector<int64_t> shape, std::span<const int32_t> data);
  // Keys and values must be valid UTF-8.
  void set_metadata(std::map<std::string, std::string> metadata);

  // Writes a temporary file beside `path`, flushes it to the disk and renames it, so `path` holds
  // either its old content or all of the new. A link is followed. Error kBadFile if something is
  // there that is no file, kIo if it cannot be written; both name `path`, the temporary is removed.
  void write(const std::filesystem::path& path) const;

 private:
  struct Item {
    std::string name;
    std::vector<int64_t> shape;
    SafetensorsType type;
    std::span<const std::byte> data;
  };
  void add(Item item);
  std::string header() const;

  std::vector<Item> items_;
  std::map<std::string, std::string> metadata_;
};

}  // namespace invar
