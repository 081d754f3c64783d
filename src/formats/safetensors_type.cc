// The element types of safetensors: names and sizes (safetensors.h).
#include <algorithm>
#include <array>

#include "core/error.h"
#include "formats/safetensors.h"

namespace invar {
namespace {

struct TypeRow {
  SafetensorsType type;
  std::string_view name;
  int bits;
};

using enum SafetensorsType;
constexpr std::array<TypeRow, 22> kTypes = {{
    {kBool, "BOOL", 8},
    {kF4, "F4", 4},
    {kF6E2M3, "F6_E2M3", 6},
    {kF6E3M2, "F6_E3M2", 6},
    {kU8, "U8", 8},
    {kI8, "I8", 8},
    {kF8E5M2, "F8_E5M2", 8},
    {kF8E4M3, "F8_E4M3", 8},
    {kF8E8M0, "F8_E8M0", 8},
    {kF8E4M3Fnuz, "F8_E4M3FNUZ", 8},
    {kF8E5M2Fnuz, "F8_E5M2FNUZ", 8},
    {kI16, "I16", 16},
    {kU16, "U16", 16},
    {kF16, "F16", 16},
    {kBF16, "BF16", 16},
    {kI32, "I32", 32},
    {kU32, "U32", 32},
    {kF32, "F32", 32},
    {kC64, "C64", 64},
    {kF64, "F64", 64},
    {kI64, "I64", 64},
    {kU64, "U64", 64},
}};

constexpr bool rows_follow_the_enum() {
  for (size_t i = 0; i < kTypes.size(); ++i) {
    if (static_cast<size_t>(kTypes[i].type) != i) {
      return false;
    }
  }
  return true;
}
static_assert(rows_follow_the_enum(), "a type's row is found by its enum value");

const TypeRow& row_of(SafetensorsType type) {
  const auto index = static_cast<size_t>(type);
  INVAR_CHECK(index < kTypes.size(), "type {}", index);
  return kTypes[index];
}

}  // namespace

std::string_view safetensors_type_name(SafetensorsType type) {
  return row_of(type).name;
}

int safetensors_type_bits(SafetensorsType type) {
  return row_of(type).bits;
}

std::optional<SafetensorsType> parse_safetensors_type(std::string_view name) {
  const auto row = std::find_if(kTypes.begin(), kTypes.end(), [name](const TypeRow& candidate) {
    return candidate.name == name;
  });
  if (row == kTypes.end()) {
    return std::nullopt;
  }
  return row->type;
}

}  // namespace invar
