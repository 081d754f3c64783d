// Parsing and checking of safetensors headers (safetensors.h). The writer is in
// safetensors_writer.cc, the element types are in safetensors_type.cc.
#include "formats/safetensors.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

#include "core/error.h"
#include "formats/printable.h"

namespace invar {

static_assert(std::endian::native == std::endian::little, "the format is little endian");

namespace {

constexpr size_t kLengthBytes = 8;
// The format's own limit. It bounds what a header can make the parser allocate.
constexpr uint64_t kHeaderBytesMax = 100'000'000;
// The header is an object of objects of arrays: three levels, and one for the document.
constexpr size_t kHeaderDepthMax = 6;

// The header's text, after its length was checked against the file.
std::string_view header_text(const std::string& label, std::span<const std::byte> bytes) {
  if (bytes.size() < kLengthBytes) {
    fail(Code::kBadFile, "{}: header length: expected {} bytes, found {}", label, kLengthBytes,
         bytes.size());
  }
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kHeaderBytesMax) {
    fail(Code::kBadFile, "{}: header length: expected at most {}, found {}", label, kHeaderBytesMax,
         length);
  }
  if (length > bytes.size() - kLengthBytes) {
    fail(Code::kBadFile, "{}: header: expected {} bytes, found {}", label, length,
         bytes.size() - kLengthBytes);
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + kLengthBytes, length);
  if (text.empty() || text.front() != '{') {
    fail(Code::kBadFile, "{}: header: expected '{{' as the first byte, found '{}'", label,
         printable(text.substr(0, 1)));
  }
  return text;
}

}  // namespace

// Reads one file's header into a SafetensorsFile. A class only to hand label and data around.
class SafetensorsHeaderParser {
 public:
  explicit SafetensorsHeaderParser(SafetensorsFile& file) : file_(file) {}

  void run(std::span<const std::byte> bytes) {
    const std::string_view text = header_text(file_.label_, bytes);
    data_ = bytes.subspan(kLengthBytes + text.size());
    // simdjson reads beyond the end of its input, so it gets a padded copy.
    const simdjson::padded_string padded(text);
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    simdjson::error_code error = parser.allocate(padded.size(), kHeaderDepthMax);
    if (error == simdjson::SUCCESS) {
      error = parser.parse(padded).get(root);
    }
    simdjson::dom::object object;
    if (error == simdjson::SUCCESS) {
      error = root.get(object);
    }
    if (error != simdjson::SUCCESS) {
      fail(Code::kBadFile, "{}: header: expected a JSON object, found an error: {}", file_.label_,
           simdjson::error_message(error));
    }
    read_entries(object);
    check_coverage();
    index_names();
  }

 private:
  void read_entries(simdjson::dom::object object) {
    bool has_metadata = false;
    for (const auto field : object) {
      if (field.key != "__metadata__") {
        file_.tensors_.push_back(read_tensor(field.key, field.value));
      } else if (has_metadata) {
        fail(Code::kBadFile, "{}: header: '__metadata__' stands twice", file_.label_);
      } else {
        has_metadata = true;
        read_metadata(field.value);
      }
    }
  }

  void read_metadata(simdjson::dom::element value) {
    simdjson::dom::object object;
    if (value.get(object) != simdjson::SUCCESS) {
      fail(Code::kBadFile, "{}: __metadata__: expected an object of strings", file_.label_);
    }
    for (const auto field : object) {
      std::string_view text;
      if (field.value.get(text) != simdjson::SUCCESS) {
        fail(Code::kBadFile, "{}: __metadata__: key '{}': expected a string", file_.label_,
             printable(field.key));
      }
      if (!file_.metadata_.emplace(field.key, text).second) {
        fail(Code::kBadFile, "{}: __metadata__: key '{}' stands twice", file_.label_,
             printable(field.key));
      }
    }
  }

  TensorEntry read_tensor(std::string_view name, simdjson::dom::element value) const {
    simdjson::dom::object object;
    if (value.get(object) != simdjson::SUCCESS) {
      fail(Code::kBadFile, "{}: tensor '{}': expected an object", file_.label_, printable(name));
    }
    std::optional<simdjson::dom::element> dtype;
    std::optional<simdjson::dom::element> shape;
    std::optional<simdjson::dom::element> data_offsets;
    for (const auto field : object) {
      auto* target = field.key == "dtype"          ? &dtype
                     : field.key == "shape"        ? &shape
                     : field.key == "data_offsets" ? &data_offsets
                                                   : nullptr;
      if (target == nullptr) {
        fail(Code::kBadFile, "{}: tensor '{}': unknown field '{}'", file_.label_, printable(name),
             printable(field.key));
      }
      if (target->has_value()) {
        fail(Code::kBadFile, "{}: tensor '{}': {} stands twice", file_.label_, printable(name),
             field.key);
      }
      *target = field.value;
    }
    if (!dtype || !shape || !data_offsets) {
      fail(Code::kBadFile, "{}: tensor '{}': {} is missing", file_.label_, printable(name),
           !dtype   ? "dtype"
           : !shape ? "shape"
                    : "data_offsets");
    }
    TensorEntry entry{.name = std::string(name),
                      .type = read_type(name, *dtype),
                      .shape = read_shape(name, *shape),
                      .data = {}};
    entry.data = read_data(entry, *data_offsets);
    return entry;
  }

  SafetensorsType read_type(std::string_view name, simdjson::dom::element value) const {
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) {
      fail(Code::kBadFile, "{}: tensor '{}': dtype: expected a string", file_.label_,
           printable(name));
    }
    const std::optional<SafetensorsType> type = parse_safetensors_type(text);
    if (!type) {
      fail(Code::kBadFile, "{}: tensor '{}': dtype: unknown type '{}'", file_.label_,
           printable(name), printable(text));
    }
    return *type;
  }

  std::vector<int64_t> read_shape(std::string_view name, simdjson::dom::element value) const {
    simdjson::dom::array array;
    if (value.get(array) != simdjson::SUCCESS) {
      fail(Code::kBadFile, "{}: tensor '{}': shape: expected an array of sizes", file_.label_,
           printable(name));
    }
    std::vector<int64_t> shape;
    for (const simdjson::dom::element item : array) {
      int64_t size = 0;
      if (item.get(size) != simdjson::SUCCESS || size < 0) {
        fail(Code::kBadFile,
             "{}: tensor '{}': shape: axis {}: expected an integer from 0 to 2^63-1", file_.label_,
             printable(name), shape.size());
      }
      shape.push_back(size);
    }
    return shape;
  }

  std::span<const std::byte> read_data(const TensorEntry& entry,
                                       simdjson::dom::element value) const {
    simdjson::dom::array array;
    std::vector<uint64_t> offsets;
    bool valid = value.get(array) == simdjson::SUCCESS;
    if (valid) {
      for (const simdjson::dom::element item : array) {
        uint64_t offset = 0;
        if (offsets.size() == 2 || item.get(offset) != simdjson::SUCCESS) {
          valid = false;
          break;
        }
        offsets.push_back(offset);
      }
    }
    if (!valid || offsets.size() != 2) {
      fail(Code::kBadFile, "{}: tensor '{}': data_offsets: expected two integers from 0 to 2^64-1",
           file_.label_, printable(entry.name));
    }
    const uint64_t begin = offsets[0];
    const uint64_t end = offsets[1];
    if (begin > end || end > data_.size()) {
      fail(Code::kBadFile,
           "{}: tensor '{}': data_offsets: expected a range inside the {} bytes of data, found "
           "[{}, {}]",
           file_.label_, printable(entry.name), data_.size(), begin, end);
    }
    const uint64_t expected = size_bytes(entry);
    if (end - begin != expected) {
      fail(Code::kBadFile, "{}: tensor '{}': data_offsets: expected {} bytes for {} [{}], found {}",
           file_.label_, printable(entry.name), expected, safetensors_type_name(entry.type),
           fmt::join(entry.shape, ", "), end - begin);
    }
    return data_.subspan(begin, end - begin);
  }

  uint64_t size_bytes(const TensorEntry& entry) const {
    auto bits = static_cast<uint64_t>(safetensors_type_bits(entry.type));
    bool overflow = false;
    for (const int64_t size : entry.shape) {
      overflow = overflow || __builtin_mul_overflow(bits, static_cast<uint64_t>(size), &bits);
    }
    if (overflow) {
      fail(Code::kBadFile, "{}: tensor '{}': shape: [{}] has too many elements", file_.label_,
           printable(entry.name), fmt::join(entry.shape, ", "));
    }
    if (bits % 8 != 0) {
      fail(Code::kBadFile, "{}: tensor '{}': shape: [{}] of {} does not end at a whole byte",
           file_.label_, printable(entry.name), fmt::join(entry.shape, ", "),
           safetensors_type_name(entry.type));
    }
    return bits / 8;
  }

  // The format demands that the tensors, in the order of their offsets, cover the data exactly.
  void check_coverage() {
    std::stable_sort(file_.tensors_.begin(), file_.tensors_.end(),
                     [](const TensorEntry& a, const TensorEntry& b) {
                       return std::pair(a.data.data(), a.data.size()) <
                              std::pair(b.data.data(), b.data.size());
                     });
    uint64_t covered = 0;
    std::string_view previous;
    for (const TensorEntry& entry : file_.tensors_) {
      const auto begin = static_cast<uint64_t>(entry.data.data() - data_.data());
      if (begin < covered) {
        fail(Code::kBadFile, "{}: tensor '{}': data_offsets: overlaps tensor '{}'", file_.label_,
             printable(entry.name), printable(previous));
      }
      if (begin > covered) {
        fail(Code::kBadFile,
             "{}: tensor '{}': data_offsets: {} bytes before it belong to no tensor", file_.label_,
             printable(entry.name), begin - covered);
      }
      covered = begin + entry.data.size();
      previous = entry.name;
    }
    if (covered != data_.size()) {
      fail(Code::kBadFile, "{}: {} bytes after the last tensor belong to no tensor", file_.label_,
           data_.size() - covered);
    }
  }

  void index_names() {
    file_.by_name_.resize(file_.tensors_.size());
    std::iota(file_.by_name_.begin(), file_.by_name_.end(), size_t{0});
    const auto& tensors = file_.tensors_;
    std::sort(file_.by_name_.begin(), file_.by_name_.end(),
              [&tensors](size_t a, size_t b) { return tensors[a].name < tensors[b].name; });
    const auto twice = std::adjacent_find(
        file_.by_name_.begin(), file_.by_name_.end(),
        [&tensors](size_t a, size_t b) { return tensors[a].name == tensors[b].name; });
    if (twice != file_.by_name_.end()) {
      fail(Code::kBadFile, "{}: tensor '{}' stands twice", file_.label_,
           printable(tensors[*twice].name));
    }
  }

  SafetensorsFile& file_;
  std::span<const std::byte> data_;
};

SafetensorsFile SafetensorsFile::open(const std::filesystem::path& path) {
  MappedFile mapping(path);
  SafetensorsFile file = parse(path.string(), mapping.bytes());
  file.mapping_ = std::move(mapping);
  return file;
}

SafetensorsFile SafetensorsFile::parse(std::string label, std::span<const std::byte> bytes) {
  SafetensorsFile file;
  file.label_ = std::move(label);
  SafetensorsHeaderParser(file).run(bytes);
  return file;
}

const TensorEntry* SafetensorsFile::find(std::string_view name) const {
  const auto found = std::lower_bound(
      by_name_.begin(), by_name_.end(), name,
      [this](size_t index, std::string_view wanted) { return tensors_[index].name < wanted; });
  if (found == by_name_.end() || tensors_[*found].name != name) {
    return nullptr;
  }
  return &tensors_[*found];
}

void SafetensorsFile::drop_pages(const TensorEntry& entry) const {
  if (mapping_) {
    mapping_->drop_pages(entry.data);
  }
}

}  // namespace invar
