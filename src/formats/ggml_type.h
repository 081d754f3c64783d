// The tensor types that GGUF files can name: id, name and size. Which of them can be computed with
// is decided in weights/; here every published type is known, so that a refusal can name it.
#pragma once

#include <cstdint>
#include <string_view>

namespace invar {

// The values are the ids in the file.
enum class GgmlType : uint32_t {
  kF32 = 0,
  kF16 = 1,
  kQ4_0 = 2,
  kQ4_1 = 3,
  kQ5_0 = 6,
  kQ5_1 = 7,
  kQ8_0 = 8,
  kQ8_1 = 9,
  kQ2_K = 10,
  kQ3_K = 11,
  kQ4_K = 12,
  kQ5_K = 13,
  kQ6_K = 14,
  kQ8_K = 15,
  kIQ2_XXS = 16,
  kIQ2_XS = 17,
  kIQ3_XXS = 18,
  kIQ1_S = 19,
  kIQ4_NL = 20,
  kIQ3_S = 21,
  kIQ2_S = 22,
  kIQ4_XS = 23,
  kI8 = 24,
  kI16 = 25,
  kI32 = 26,
  kI64 = 27,
  kF64 = 28,
  kIQ1_M = 29,
  kBF16 = 30,
  kTQ1_0 = 34,
  kTQ2_0 = 35,
  kMXFP4 = 39,
  kNVFP4 = 40,
  kQ1_0 = 41,
  kQ2_0 = 42,
};

// A row of a tensor is stored as groups of `group_elements` consecutive elements, each group in
// `group_bytes` bytes.
struct GgmlTypeInfo {
  GgmlType type;
  std::string_view name;  // the published spelling, for example "Q4_K"
  int64_t group_elements;
  int64_t group_bytes;
};

// Null if the id is not a type that files may hold today.
[[nodiscard]] const GgmlTypeInfo* find_ggml_type(uint32_t id);
const GgmlTypeInfo& ggml_type_info(GgmlType type);
inline std::string_view ggml_type_name(GgmlType type) {
  return ggml_type_info(type).name;
}

// The name of an id that earlier files used and that the format has dropped; empty if there is
// none.
std::string_view removed_ggml_type_name(uint32_t id);

}  // namespace invar
