// Decoding of checked GGUF values (gguf_value.h).
#include "formats/gguf_value.h"

#include <array>

namespace invar {
namespace {

struct TypeRow {
  std::string_view name;
  size_t size_bytes;
};
constexpr std::array<TypeRow, kGgufTypeCount> kTypes = {{
    {"u8", 1},
    {"i8", 1},
    {"u16", 2},
    {"i16", 2},
    {"u32", 4},
    {"i32", 4},
    {"f32", 4},
    {"bool", 1},
    {"string", 0},
    {"array", 0},
    {"u64", 8},
    {"i64", 8},
    {"f64", 8},
}};

template <class T>
T read_at(std::span<const std::byte> bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

constexpr size_t kArrayHeadBytes = 12;  // element type, count

// A string at the start of checked bytes.
std::string_view string_at(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()) + sizeof(uint64_t),
          read_at<uint64_t>(bytes, 0)};
}

// An array at the start of checked bytes.
GgufValue array_at(std::span<const std::byte> bytes) {
  GgufValue value;
  value.type = GgufType::kArray;
  value.element_type = static_cast<GgufType>(read_at<uint32_t>(bytes, 0));
  value.count = read_at<uint64_t>(bytes, 4);
  const std::span<const std::byte> elements = bytes.subspan(kArrayHeadBytes);
  size_t length = 0;
  for (uint64_t i = 0; i < value.count; ++i) {
    length += gguf_element_bytes(value.element_type, elements.subspan(length));
  }
  value.bytes = elements.first(length);
  return value;
}

}  // namespace

std::string_view gguf_type_name(GgufType type) {
  return kTypes[static_cast<size_t>(type)].name;
}

size_t gguf_type_bytes(GgufType type) {
  return kTypes[static_cast<size_t>(type)].size_bytes;
}

size_t gguf_element_bytes(GgufType element_type, std::span<const std::byte> bytes) {
  if (element_type == GgufType::kString) {
    return sizeof(uint64_t) + string_at(bytes).size();
  }
  if (element_type == GgufType::kArray) {
    return kArrayHeadBytes + array_at(bytes).bytes.size();
  }
  return gguf_type_bytes(element_type);
}

std::string GgufValue::type_text() const {
  if (type != GgufType::kArray) {
    return std::string(gguf_type_name(type));
  }
  return fmt::format("array of {}", gguf_type_name(element_type));
}

std::string_view GgufValue::string() const {
  INVAR_CHECK(type == GgufType::kString, "found {}", type_text());
  return string_at(bytes);
}

std::vector<std::string_view> GgufValue::strings() const {
  INVAR_CHECK(is_array_of(GgufType::kString), "found {}", type_text());
  std::vector<std::string_view> values;
  values.reserve(count);
  size_t offset = 0;
  for (uint64_t i = 0; i < count; ++i) {
    values.push_back(string_at(bytes.subspan(offset)));
    offset += sizeof(uint64_t) + values.back().size();
  }
  return values;
}

std::vector<GgufValue> GgufValue::arrays() const {
  INVAR_CHECK(is_array_of(GgufType::kArray), "found {}", type_text());
  std::vector<GgufValue> values;
  values.reserve(count);
  size_t offset = 0;
  for (uint64_t i = 0; i < count; ++i) {
    values.push_back(array_at(bytes.subspan(offset)));
    offset += kArrayHeadBytes + values.back().bytes.size();
  }
  return values;
}

}  // namespace invar
