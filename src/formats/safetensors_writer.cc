// Writing of safetensors files, atomically (safetensors.h).
#include <simdjson.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "formats/replaced_file.h"
#include "formats/safetensors.h"

namespace invar {
void SafetensorsWriter::add_f32(std::string name, std::vector<int64_t> shape,
                                std::span<const float> data) {
  add({std::move(name), std::move(shape), SafetensorsType::kF32, std::as_bytes(data)});
}

void SafetensorsWriter::add_i32(std::string name, std::vector<int64_t> shape,
                                std::span<const int32_t> data) {
  add({std::move(name), std::move(shape), SafetensorsType::kI32, std::as_bytes(data)});
}

void SafetensorsWriter::set_metadata(std::map<std::string, std::string> metadata) {
  for (const auto& [key, value] : metadata) {
    INVAR_CHECK(simdjson::validate_utf8(key) && simdjson::validate_utf8(value), "key '{}'", key);
  }
  metadata_ = std::move(metadata);
}

void SafetensorsWriter::add(Item item) {
  int64_t elements = 1;
  for (const int64_t size : item.shape) {
    INVAR_CHECK(size >= 0, "tensor '{}': size {}", item.name, size);
    elements *= size;
  }
  INVAR_CHECK(
      elements * safetensors_type_bits(item.type) / 8 == static_cast<int64_t>(item.data.size()),
      "tensor '{}': {} elements, {} bytes", item.name, elements, item.data.size());
  INVAR_CHECK(simdjson::validate_utf8(item.name) && item.name != "__metadata__", "tensor '{}'",
              item.name);
  INVAR_CHECK(std::none_of(items_.begin(), items_.end(),
                           [&item](const Item& other) { return other.name == item.name; }),
              "tensor '{}' was added twice", item.name);
  items_.push_back(std::move(item));
}

std::string SafetensorsWriter::header() const {
  // Written piece by piece, so that the entries keep the order of their bytes.
  std::string text = "{";
  if (!metadata_.empty()) {
    text += "\"__metadata__\":" + nlohmann::json(metadata_).dump();
  }
  size_t offset = 0;
  for (const Item& item : items_) {
    text += text.size() > 1 ? "," : "";
    text += fmt::format("{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                        nlohmann::json(item.name).dump(), safetensors_type_name(item.type),
                        fmt::join(item.shape, ","), offset, offset + item.data.size());
    offset += item.data.size();
  }
  text += "}";
  // Spaces up to a multiple of 8 keep the data aligned.
  text.append((8 - text.size() % 8) % 8, ' ');
  return text;
}

void SafetensorsWriter::write(const std::filesystem::path& path) const {
  const std::string text = header();
  const auto length = static_cast<uint64_t>(text.size());
  ReplacedFile file(path);
  file.append(std::as_bytes(std::span(&length, 1)));
  file.append(std::as_bytes(std::span(text)));
  for (const Item& item : items_) {
    file.append(item.data);
  }
  file.commit();
}

}  // namespace invar
