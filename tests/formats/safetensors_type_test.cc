// The element types of safetensors.
#include <gtest/gtest.h>

#include "formats/safetensors.h"

namespace invar {
namespace {

TEST(SafetensorsTypeTest, NamesGoBothWays) {
  constexpr int kPublishedTypes = 22;
  for (int i = 0; i < kPublishedTypes; ++i) {
    const auto type = static_cast<SafetensorsType>(i);
    EXPECT_EQ(parse_safetensors_type(safetensors_type_name(type)), type)
        << safetensors_type_name(type);
  }
  EXPECT_FALSE(parse_safetensors_type("f32"));
  EXPECT_FALSE(parse_safetensors_type("F8_E4M3FN"));
  EXPECT_FALSE(parse_safetensors_type(""));
}

TEST(SafetensorsTypeTest, SizesInBits) {
  struct Row {
    std::string_view name;
    int bits;
  };
  for (const Row& row :
       {Row{"BOOL", 8},    Row{"F4", 4},          Row{"F6_E2M3", 6},     Row{"F6_E3M2", 6},
        Row{"U8", 8},      Row{"I8", 8},          Row{"F8_E5M2", 8},     Row{"F8_E4M3", 8},
        Row{"F8_E8M0", 8}, Row{"F8_E4M3FNUZ", 8}, Row{"F8_E5M2FNUZ", 8}, Row{"I16", 16},
        Row{"U16", 16},    Row{"F16", 16},        Row{"BF16", 16},       Row{"I32", 32},
        Row{"U32", 32},    Row{"F32", 32},        Row{"C64", 64},        Row{"F64", 64},
        Row{"I64", 64},    Row{"U64", 64}}) {
    const std::optional<SafetensorsType> type = parse_safetensors_type(row.name);
    ASSERT_TRUE(type) << row.name;
    EXPECT_EQ(safetensors_type_bits(*type), row.bits) << row.name;
  }
}

}  // namespace
}  // namespace invar
