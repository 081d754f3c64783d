// The values of GGUF metadata: 13 types, kept as checked bytes in the file until asked for.
// Lookups by key are in gguf.h.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace invar {

static_assert(std::endian::native == std::endian::little, "values are read as they are stored");

// The values are the ids in the file.
enum class GgufType : uint32_t {
  kU8 = 0,
  kI8 = 1,
  kU16 = 2,
  kI16 = 3,
  kU32 = 4,
  kI32 = 5,
  kF32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kU64 = 10,
  kI64 = 11,
  kF64 = 12,
};
inline constexpr uint32_t kGgufTypeCount = 13;

std::string_view gguf_type_name(GgufType type);  // "u8", "string", ...
// Bytes of one value; 0 for strings and arrays, whose length varies.
size_t gguf_type_bytes(GgufType type);

// The GgufType of a C++ type: gguf_type_of<uint32_t>() is kU32. Only the scalar types have one.
template <class T>
constexpr GgufType gguf_type_of() = delete;
template <>
constexpr GgufType gguf_type_of<uint8_t>() {
  return GgufType::kU8;
}
template <>
constexpr GgufType gguf_type_of<int8_t>() {
  return GgufType::kI8;
}
template <>
constexpr GgufType gguf_type_of<uint16_t>() {
  return GgufType::kU16;
}
template <>
constexpr GgufType gguf_type_of<int16_t>() {
  return GgufType::kI16;
}
template <>
constexpr GgufType gguf_type_of<uint32_t>() {
  return GgufType::kU32;
}
template <>
constexpr GgufType gguf_type_of<int32_t>() {
  return GgufType::kI32;
}
template <>
constexpr GgufType gguf_type_of<float>() {
  return GgufType::kF32;
}
template <>
constexpr GgufType gguf_type_of<bool>() {
  return GgufType::kBool;
}
template <>
constexpr GgufType gguf_type_of<uint64_t>() {
  return GgufType::kU64;
}
template <>
constexpr GgufType gguf_type_of<int64_t>() {
  return GgufType::kI64;
}
template <>
constexpr GgufType gguf_type_of<double>() {
  return GgufType::kF64;
}

// One checked value. The bytes lie in the file, unaligned, and were checked to hold exactly
// `count` elements when the file was parsed. Cheap to copy.
struct GgufValue {
  GgufType type = GgufType::kU8;
  GgufType element_type = GgufType::kU8;  // of an array; else equal to `type`
  uint64_t count = 1;                     // of an array
  std::span<const std::byte> bytes;       // of an array: of the elements

  bool is_array_of(GgufType wanted) const {
    return type == GgufType::kArray && element_type == wanted;
  }
  // "u32", "array of string": for messages.
  std::string type_text() const;

  // The methods below demand the right type (a wrong one is a bug of the caller: see GgufFile's
  // lookups for checked access).
  template <class T>
  T scalar() const {
    INVAR_CHECK(type == gguf_type_of<T>(), "found {}", type_text());
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }
  std::string_view string() const;

  // A copy of a numeric array's elements.
  template <class T>
  std::vector<T> numbers() const {
    INVAR_CHECK(is_array_of(gguf_type_of<T>()), "found {}", type_text());
    std::vector<T> values(count);
    if constexpr (std::is_same_v<T, bool>) {
      for (size_t i = 0; i < values.size(); ++i) {
        values[i] = bytes[i] != std::byte{0};
      }
    } else if (!values.empty()) {
      std::memcpy(values.data(), bytes.data(), bytes.size());
    }
    return values;
  }
  // Views of an array's strings; nothing is copied.
  std::vector<std::string_view> strings() const;
  // The inner arrays of an array of arrays.
  std::vector<GgufValue> arrays() const;
};

// The length of a value of `element_type` that begins at `bytes`, which must be checked bytes.
size_t gguf_element_bytes(GgufType element_type, std::span<const std::byte> bytes);

}  // namespace invar
