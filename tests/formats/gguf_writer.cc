// Building of GGUF bytes for tests (gguf_writer.h).
#include "formats/gguf_writer.h"

#include <fstream>
#include <utility>

#include "core/error.h"

namespace invar {

std::span<const std::byte> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

std::string gguf_string_bytes(std::string_view text) {
  return number_bytes(static_cast<uint64_t>(text.size())).append(text);
}

std::string gguf_array_bytes(const GgufArrayParts& parts) {
  return number_bytes(parts.element_type) + number_bytes(parts.count) + parts.elements;
}

void GgufWriter::add_string(std::string_view key, std::string_view value) {
  add_raw(key, static_cast<uint32_t>(GgufType::kString), gguf_string_bytes(value));
}

void GgufWriter::add_strings(std::string_view key, std::span<const std::string> values) {
  GgufArrayParts parts{.element_type = static_cast<uint32_t>(GgufType::kString),
                       .count = values.size(),
                       .elements = {}};
  for (const std::string& value : values) {
    parts.elements += gguf_string_bytes(value);
  }
  add_raw(key, static_cast<uint32_t>(GgufType::kArray), gguf_array_bytes(parts));
}

void GgufWriter::add_raw(std::string_view key, uint32_t type_id, std::string_view value_bytes) {
  entries_ += gguf_string_bytes(key);
  entries_ += number_bytes(type_id);
  entries_ += value_bytes;
  ++entries_added_;
}

void GgufWriter::set_alignment(uint32_t value) {
  alignment = value;
  add("general.alignment", value);
}

void GgufWriter::add_tensor(GgufTensorSpec tensor) {
  tensors_.push_back(std::move(tensor));
}

void GgufWriter::add_zero_tensor(std::string name, GgmlType type, std::vector<int64_t> shape) {
  const GgmlTypeInfo& info = ggml_type_info(type);
  int64_t elements = 1;
  for (const int64_t size : shape) {
    elements *= size;
  }
  const auto size_bytes = static_cast<size_t>(elements / info.group_elements * info.group_bytes);
  add_tensor({.name = std::move(name),
              .type = type,
              .shape = std::move(shape),
              .data = std::string(size_bytes, '\0')});
}

std::string GgufWriter::build() const {
  std::string file = magic + number_bytes(version);
  file += number_bytes(tensor_count.value_or(tensors_.size()));
  file += number_bytes(entry_count.value_or(entries_added_));
  file += entries_;
  std::string data;
  for (const GgufTensorSpec& tensor : tensors_) {
    data.append((alignment - data.size() % alignment) % alignment, '\0');
    file += gguf_string_bytes(tensor.name);
    file += number_bytes(tensor.axes.value_or(static_cast<uint32_t>(tensor.shape.size())));
    for (size_t i = tensor.shape.size(); i > 0; --i) {
      file += number_bytes(tensor.shape[i - 1]);
    }
    file += number_bytes(tensor.type_id.value_or(static_cast<uint32_t>(tensor.type)));
    file += number_bytes(tensor.offset.value_or(data.size()));
    data += tensor.data;
  }
  if (!tensors_.empty()) {
    file.append((alignment - file.size() % alignment) % alignment, '\0');
  }
  return file + data;
}

void GgufWriter::write(const std::filesystem::path& path) const {
  std::ofstream stream(path, std::ios::binary);
  stream << build();
  stream.close();
  INVAR_CHECK(stream.good(), "{}", path.string());
}

}  // namespace invar
