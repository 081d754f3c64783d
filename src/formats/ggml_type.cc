// The table of GGUF tensor types (ggml_type.h).
#include "formats/ggml_type.h"

#include <algorithm>
#include <array>

#include "core/error.h"

namespace invar {
namespace {

using enum GgmlType;
constexpr std::array<GgmlTypeInfo, 35> kTypes = {{
    {kF32, "F32", 1, 4},
    {kF16, "F16", 1, 2},
    {kQ4_0, "Q4_0", 32, 18},
    {kQ4_1, "Q4_1", 32, 20},
    {kQ5_0, "Q5_0", 32, 22},
    {kQ5_1, "Q5_1", 32, 24},
    {kQ8_0, "Q8_0", 32, 34},
    {kQ8_1, "Q8_1", 32, 36},
    {kQ2_K, "Q2_K", 256, 84},
    {kQ3_K, "Q3_K", 256, 110},
    {kQ4_K, "Q4_K", 256, 144},
    {kQ5_K, "Q5_K", 256, 176},
    {kQ6_K, "Q6_K", 256, 210},
    {kQ8_K, "Q8_K", 256, 292},
    {kIQ2_XXS, "IQ2_XXS", 256, 66},
    {kIQ2_XS, "IQ2_XS", 256, 74},
    {kIQ3_XXS, "IQ3_XXS", 256, 98},
    {kIQ1_S, "IQ1_S", 256, 50},
    {kIQ4_NL, "IQ4_NL", 32, 18},
    {kIQ3_S, "IQ3_S", 256, 110},
    {kIQ2_S, "IQ2_S", 256, 82},
    {kIQ4_XS, "IQ4_XS", 256, 136},
    {kI8, "I8", 1, 1},
    {kI16, "I16", 1, 2},
    {kI32, "I32", 1, 4},
    {kI64, "I64", 1, 8},
    {kF64, "F64", 1, 8},
    {kIQ1_M, "IQ1_M", 256, 56},
    {kBF16, "BF16", 1, 2},
    {kTQ1_0, "TQ1_0", 256, 54},
    {kTQ2_0, "TQ2_0", 256, 66},
    {kMXFP4, "MXFP4", 32, 17},
    {kNVFP4, "NVFP4", 64, 36},
    {kQ1_0, "Q1_0", 128, 18},
    {kQ2_0, "Q2_0", 64, 18},
}};

struct RemovedType {
  uint32_t id;
  std::string_view name;
};
constexpr std::array<RemovedType, 8> kRemovedTypes = {{
    {4, "Q4_2"},
    {5, "Q4_3"},
    {31, "Q4_0_4_4"},
    {32, "Q4_0_4_8"},
    {33, "Q4_0_8_8"},
    {36, "IQ4_NL_4_4"},
    {37, "IQ4_NL_4_8"},
    {38, "IQ4_NL_8_8"},
}};

}  // namespace

const GgmlTypeInfo* find_ggml_type(uint32_t id) {
  const auto row = std::find_if(kTypes.begin(), kTypes.end(), [id](const GgmlTypeInfo& info) {
    return static_cast<uint32_t>(info.type) == id;
  });
  return row == kTypes.end() ? nullptr : &*row;
}

const GgmlTypeInfo& ggml_type_info(GgmlType type) {
  const GgmlTypeInfo* info = find_ggml_type(static_cast<uint32_t>(type));
  INVAR_CHECK(info != nullptr, "type {}", static_cast<uint32_t>(type));
  return *info;
}

std::string_view removed_ggml_type_name(uint32_t id) {
  const auto row = std::find_if(kRemovedTypes.begin(), kRemovedTypes.end(),
                                [id](const RemovedType& removed) { return removed.id == id; });
  return row == kRemovedTypes.end() ? std::string_view() : row->name;
}

}  // namespace invar
