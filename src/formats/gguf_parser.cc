// Parsing and checking of GGUF files. Every count is compared with what the rest of the file could
// hold before anything is allocated for it.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

#include "core/error.h"
#include "formats/gguf.h"
#include "formats/printable.h"

namespace invar {
namespace {

// The format's own limits.
constexpr uint64_t kKeyBytesMax = 65535;
constexpr uint64_t kTensorNameBytesMax = 64;
constexpr uint32_t kDimensionsMax = 4;
constexpr uint32_t kDefaultAlignment = 32;
constexpr uint32_t kAlignmentMin = 8;
// Arrays of arrays are allowed but unused in published models; the walk over them recurses.
constexpr int kArrayDepthMax = 4;

// The least that one item takes in the file, which bounds how many there can be.
constexpr uint64_t kEntryBytesMin = 8 + 1 + 4 + 1;       // key length, key, type, value
constexpr uint64_t kTensorBytesMin = 8 + 1 + 4 + 4 + 8;  // name length, name, axes, type, offset
constexpr uint64_t kStringBytesMin = 8;
constexpr uint64_t kArrayBytesMin = 12;

struct Place {
  std::string_view kind;
  std::string_view name = {};  // "" if not known yet
};

struct ItemCount {
  uint64_t count = 0;
  uint64_t item_bytes_min = 0;
};

// Walks forward through the file and never past its end.
class Cursor {
 public:
  Cursor(const std::string& label, std::span<const std::byte> bytes)
      : label_(label), bytes_(bytes) {}

  // What is being read, for messages.
  void set_place(Place place) { place_ = place; }
  std::string place() const {
    return place_.name.empty()
               ? fmt::format("{}: {}", label_, place_.kind)
               : fmt::format("{}: {} '{}'", label_, place_.kind, printable(place_.name));
  }

  size_t offset() const { return offset_; }
  size_t left() const { return bytes_.size() - offset_; }

  std::span<const std::byte> take(uint64_t count) {
    if (count > left()) {
      fail(Code::kBadFile, "{}: expected {} bytes at offset {}, found {}", place(), count, offset_,
           left());
    }
    const std::span<const std::byte> taken = bytes_.subspan(offset_, count);
    offset_ += count;
    return taken;
  }

  template <class T>
  T read() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }

  std::string_view string() {
    const std::span<const std::byte> text = take(read<uint64_t>());
    return {reinterpret_cast<const char*>(text.data()), text.size()};
  }

  // The count, if the rest of the file can hold so many items.
  uint64_t checked_count(ItemCount items) const {
    const uint64_t possible = left() / items.item_bytes_min;
    if (items.count > possible) {
      fail(Code::kBadFile, "{}: expected a count of at most {} (what the file can hold), found {}",
           place(), possible, items.count);
    }
    return items.count;
  }

  // All bytes from `begin` to here.
  std::span<const std::byte> since(size_t begin) const {
    return bytes_.subspan(begin, offset_ - begin);
  }

 private:
  const std::string& label_;
  std::span<const std::byte> bytes_;
  size_t offset_ = 0;
  Place place_{.kind = "header"};
};

// Indices of `items`, sorted by `name_of`.
template <class Item, class NameOf>
std::vector<size_t> sorted_by_name(const std::vector<Item>& items, NameOf name_of) {
  std::vector<size_t> order(items.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&items, name_of](size_t a, size_t b) {
    return name_of(items[a]) < name_of(items[b]);
  });
  return order;
}

// The position in `order` of an item whose name follows once more, or order.size().
template <class Item, class NameOf>
size_t find_twice(const std::vector<Item>& items, const std::vector<size_t>& order,
                  NameOf name_of) {
  const auto twice = std::adjacent_find(
      order.begin(), order.end(),
      [&items, name_of](size_t a, size_t b) { return name_of(items[a]) == name_of(items[b]); });
  return static_cast<size_t>(twice - order.begin());
}

std::string_view key_of(const GgufEntry& entry) {
  return entry.key;
}
std::string_view name_of(const GgufTensor& tensor) {
  return tensor.name;
}

}  // namespace

// Reads one file. A class only to hand the cursor and the file around.
class GgufParser {
 public:
  GgufParser(GgufFile& file, std::span<const std::byte> bytes)
      : file_(file), bytes_(bytes), cursor_(file.label_, bytes) {}

  void run() {
    read_version();
    const auto tensor_count = cursor_.read<uint64_t>();
    const auto entry_count = cursor_.read<uint64_t>();
    read_entries(entry_count);
    read_alignment();
    read_tensors(tensor_count);
    place_tensors();
    check_overlap();
  }

 private:
  void read_version() {
    constexpr std::string_view kMagic = "GGUF";
    const std::span<const std::byte> magic = cursor_.take(kMagic.size());
    const std::string_view found(reinterpret_cast<const char*>(magic.data()), magic.size());
    if (found != kMagic) {
      fail(Code::kBadFile, "{}: magic: expected 'GGUF', found '{}'", file_.label_,
           printable(found));
    }
    file_.version_ = cursor_.read<uint32_t>();
    if (file_.version_ == 1) {
      fail(Code::kUnsupported, "{}: version: expected 2 or 3, found 1 (an early format)",
           file_.label_);
    }
    // A small number with its bytes in the other order has its low half empty.
    if (file_.version_ != 0 && (file_.version_ & 0xffffu) == 0) {
      fail(Code::kUnsupported, "{}: version: expected a little-endian file, found a big-endian one",
           file_.label_);
    }
    if (file_.version_ != 2 && file_.version_ != 3) {
      fail(Code::kUnsupported, "{}: version: expected 2 or 3, found {}", file_.label_,
           file_.version_);
    }
  }

  void read_entries(uint64_t count) {
    cursor_.set_place({.kind = "metadata"});
    file_.entries_.reserve(
        cursor_.checked_count({.count = count, .item_bytes_min = kEntryBytesMin}));
    for (uint64_t i = 0; i < count; ++i) {
      cursor_.set_place({.kind = "metadata"});
      const std::string_view key = cursor_.string();
      if (key.empty() || key.size() > kKeyBytesMax) {
        fail(Code::kBadFile, "{}: entry {}: expected a key of 1 to {} bytes, found {}",
             cursor_.place(), i, kKeyBytesMax, key.size());
      }
      cursor_.set_place({.kind = "key", .name = key});
      file_.entries_.push_back({key, read_value(read_type())});
    }
    file_.entries_by_key_ = sorted_by_name(file_.entries_, key_of);
    const size_t twice = find_twice(file_.entries_, file_.entries_by_key_, key_of);
    if (twice != file_.entries_.size()) {
      fail(Code::kBadFile, "{}: key '{}' stands twice", file_.label_,
           printable(file_.entries_[file_.entries_by_key_[twice]].key));
    }
  }

  GgufType read_type() {
    const auto id = cursor_.read<uint32_t>();
    if (id >= kGgufTypeCount) {
      fail(Code::kBadFile, "{}: unknown value type {}", cursor_.place(), id);
    }
    return static_cast<GgufType>(id);
  }

  GgufValue read_value(GgufType type) {
    if (type == GgufType::kArray) {
      return read_array(1);
    }
    GgufValue value{.type = type, .element_type = type, .count = 1, .bytes = {}};
    const size_t begin = cursor_.offset();
    read_elements(type, 1);
    value.bytes = cursor_.since(begin);
    return value;
  }

  GgufValue read_array(int depth) {
    if (depth > kArrayDepthMax) {
      fail(Code::kBadFile, "{}: arrays nested deeper than {} levels", cursor_.place(),
           kArrayDepthMax);
    }
    GgufValue value{.type = GgufType::kArray, .element_type = read_type(), .count = 0, .bytes = {}};
    value.count = cursor_.read<uint64_t>();
    const size_t begin = cursor_.offset();
    if (value.element_type == GgufType::kArray) {
      cursor_.checked_count({.count = value.count, .item_bytes_min = kArrayBytesMin});
      for (uint64_t i = 0; i < value.count; ++i) {
        read_array(depth + 1);
      }
    } else {
      read_elements(value.element_type, value.count);
    }
    value.bytes = cursor_.since(begin);
    return value;
  }

  // Passes over `count` values that are not arrays, and checks them.
  void read_elements(GgufType type, uint64_t count) {
    if (type == GgufType::kString) {
      cursor_.checked_count({.count = count, .item_bytes_min = kStringBytesMin});
      for (uint64_t i = 0; i < count; ++i) {
        cursor_.string();
      }
      return;
    }
    const size_t element_bytes = gguf_type_bytes(type);
    const std::span<const std::byte> bytes = cursor_.take(
        cursor_.checked_count({.count = count, .item_bytes_min = element_bytes}) * element_bytes);
    if (type == GgufType::kBool) {
      const auto bad = std::find_if(bytes.begin(), bytes.end(),
                                    [](std::byte byte) { return byte > std::byte{1}; });
      if (bad != bytes.end()) {
        fail(Code::kBadFile, "{}: expected a bool of 0 or 1, found {}", cursor_.place(),
             static_cast<int>(*bad));
      }
    }
  }

  void read_alignment() {
    file_.alignment_ = file_.find<uint32_t>("general.alignment").value_or(kDefaultAlignment);
    if (file_.alignment_ < kAlignmentMin || !std::has_single_bit(file_.alignment_)) {
      fail(Code::kBadFile,
           "{}: key 'general.alignment': expected a power of two of at least {}, found {}",
           file_.label_, kAlignmentMin, file_.alignment_);
    }
  }

  void read_tensors(uint64_t count) {
    cursor_.set_place({.kind = "tensor table"});
    file_.tensors_.reserve(
        cursor_.checked_count({.count = count, .item_bytes_min = kTensorBytesMin}));
    offsets_.reserve(count);
    for (uint64_t i = 0; i < count; ++i) {
      cursor_.set_place({.kind = "tensor table"});
      const std::string_view name = cursor_.string();
      if (name.empty() || name.size() > kTensorNameBytesMax) {
        fail(Code::kBadFile, "{}: tensor {}: expected a name of 1 to {} bytes, found {}",
             cursor_.place(), i, kTensorNameBytesMax, name.size());
      }
      cursor_.set_place({.kind = "tensor", .name = name});
      file_.tensors_.push_back(read_tensor(name));
    }
    file_.tensors_by_name_ = sorted_by_name(file_.tensors_, name_of);
    const size_t twice = find_twice(file_.tensors_, file_.tensors_by_name_, name_of);
    if (twice != file_.tensors_.size()) {
      fail(Code::kBadFile, "{}: tensor '{}' stands twice", file_.label_,
           printable(file_.tensors_[file_.tensors_by_name_[twice]].name));
    }
  }

  GgufTensor read_tensor(std::string_view name) {
    const auto axes = cursor_.read<uint32_t>();
    if (axes > kDimensionsMax) {
      fail(Code::kBadFile, "{}: expected at most {} axes, found {}", cursor_.place(),
           kDimensionsMax, axes);
    }
    GgufTensor tensor{.name = name, .type = GgmlType::kF32, .shape = {}, .data = {}};
    for (uint32_t i = 0; i < axes; ++i) {
      const auto size = cursor_.read<int64_t>();
      if (size < 0) {
        fail(Code::kBadFile, "{}: axis {}: expected a size below 2^63, found {}", cursor_.place(),
             i, static_cast<uint64_t>(size));
      }
      tensor.shape.insert(tensor.shape.begin(), size);
    }
    tensor.type = read_tensor_type();
    offsets_.push_back(cursor_.read<uint64_t>());
    return tensor;
  }

  GgmlType read_tensor_type() {
    const auto id = cursor_.read<uint32_t>();
    const GgmlTypeInfo* info = find_ggml_type(id);
    if (info != nullptr) {
      return info->type;
    }
    const std::string_view removed = removed_ggml_type_name(id);
    if (!removed.empty()) {
      fail(Code::kUnsupported, "{}: type {} ({}) was removed from the format", cursor_.place(), id,
           removed);
    }
    fail(Code::kBadFile, "{}: unknown tensor type {}", cursor_.place(), id);
  }

  // Finds the data of every tensor once the end of the table, and with it the data's start, is
  // known.
  void place_tensors() {
    const uint64_t alignment = file_.alignment_;
    const uint64_t start = (cursor_.offset() + alignment - 1) / alignment * alignment;
    // A file without tensors may end before the padding.
    const uint64_t available = start <= bytes_.size() ? bytes_.size() - start : 0;
    for (size_t i = 0; i < file_.tensors_.size(); ++i) {
      GgufTensor& tensor = file_.tensors_[i];
      cursor_.set_place({.kind = "tensor", .name = tensor.name});
      const uint64_t offset = offsets_[i];
      if (offset % alignment != 0) {
        fail(Code::kBadFile, "{}: offset: expected a multiple of {}, found {}", cursor_.place(),
             alignment, offset);
      }
      const uint64_t size = tensor_bytes(tensor);
      if (size > available || offset > available - size) {
        fail(Code::kBadFile, "{}: expected {} bytes at offset {} of the data, found {} bytes",
             cursor_.place(), size, offset, available);
      }
      tensor.data = bytes_.subspan(std::min<uint64_t>(start + offset, bytes_.size()), size);
    }
  }

  uint64_t tensor_bytes(const GgufTensor& tensor) const {
    const GgmlTypeInfo& info = ggml_type_info(tensor.type);
    const int64_t columns = tensor.shape.empty() ? 1 : tensor.shape.back();
    if (columns % info.group_elements != 0) {
      fail(Code::kBadFile, "{}: expected rows of a multiple of {} elements ({}), found {}",
           cursor_.place(), info.group_elements, info.name, columns);
    }
    auto bytes = static_cast<uint64_t>(columns / info.group_elements);
    bool overflow = __builtin_mul_overflow(bytes, static_cast<uint64_t>(info.group_bytes), &bytes);
    for (size_t i = 0; i + 1 < tensor.shape.size(); ++i) {
      overflow =
          overflow || __builtin_mul_overflow(bytes, static_cast<uint64_t>(tensor.shape[i]), &bytes);
    }
    if (overflow) {
      fail(Code::kBadFile, "{}: shape [{}] has too many elements", cursor_.place(),
           fmt::join(tensor.shape, ", "));
    }
    return bytes;
  }

  void check_overlap() {
    std::vector<const GgufTensor*> order;
    order.reserve(file_.tensors_.size());
    for (const GgufTensor& tensor : file_.tensors_) {
      if (!tensor.data.empty()) {
        order.push_back(&tensor);
      }
    }
    std::sort(order.begin(), order.end(), [](const GgufTensor* a, const GgufTensor* b) {
      return std::pair(a->data.data(), a->name) < std::pair(b->data.data(), b->name);
    });
    for (size_t i = 1; i < order.size(); ++i) {
      const std::span<const std::byte> previous = order[i - 1]->data;
      if (previous.data() + previous.size() > order[i]->data.data()) {
        fail(Code::kBadFile, "{}: tensor '{}': its data overlaps tensor '{}'", file_.label_,
             printable(order[i]->name), printable(order[i - 1]->name));
      }
    }
  }

  GgufFile& file_;
  std::span<const std::byte> bytes_;
  Cursor cursor_;
  std::vector<uint64_t> offsets_;  // of each tensor, relative to the data's start
};

GgufFile GgufFile::open(const std::filesystem::path& path) {
  MappedFile mapping(path);
  GgufFile file = parse(path.string(), mapping.bytes());
  file.mapping_ = std::move(mapping);
  return file;
}

GgufFile GgufFile::parse(std::string label, std::span<const std::byte> bytes) {
  GgufFile file;
  file.label_ = std::move(label);
  GgufParser(file, bytes).run();
  return file;
}

}  // namespace invar
