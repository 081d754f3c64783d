// The table of tensor types: spot checks of ids, names and sizes against the published format.
#include "formats/ggml_type.h"

#include <gtest/gtest.h>

#include <set>

namespace invar {
namespace {

TEST(GgmlTypeTest, EveryIdIsKnownRemovedOrUnknown) {
  std::set<std::string_view> names;
  int known = 0;
  int removed = 0;
  for (uint32_t id = 0; id < 300; ++id) {
    const GgmlTypeInfo* info = find_ggml_type(id);
    const std::string_view removed_name = removed_ggml_type_name(id);
    if (info != nullptr) {
      ++known;
      EXPECT_EQ(static_cast<uint32_t>(info->type), id);
      EXPECT_TRUE(removed_name.empty()) << info->name;
      EXPECT_TRUE(names.insert(info->name).second) << info->name;
      EXPECT_GT(info->group_elements, 0);
      EXPECT_GT(info->group_bytes, 0);
    } else if (!removed_name.empty()) {
      ++removed;
      EXPECT_TRUE(names.insert(removed_name).second) << removed_name;
    } else {
      EXPECT_GE(id, 43u);  // no gap below the newest published id
    }
  }
  EXPECT_EQ(known, 35);
  EXPECT_EQ(removed, 8);
}

TEST(GgmlTypeTest, SizesOfTheTypesInUse) {
  struct Row {
    GgmlType type;
    std::string_view name;
    int64_t elements;
    int64_t bytes;
  };
  for (const Row& row :
       {Row{GgmlType::kF32, "F32", 1, 4}, Row{GgmlType::kF16, "F16", 1, 2},
        Row{GgmlType::kBF16, "BF16", 1, 2}, Row{GgmlType::kQ8_0, "Q8_0", 32, 34},
        Row{GgmlType::kQ4_0, "Q4_0", 32, 18}, Row{GgmlType::kQ4_1, "Q4_1", 32, 20},
        Row{GgmlType::kQ4_K, "Q4_K", 256, 144}, Row{GgmlType::kQ6_K, "Q6_K", 256, 210}}) {
    const GgmlTypeInfo& info = ggml_type_info(row.type);
    EXPECT_EQ(info.name, row.name);
    EXPECT_EQ(ggml_type_name(row.type), row.name);
    EXPECT_EQ(info.group_elements, row.elements) << row.name;
    EXPECT_EQ(info.group_bytes, row.bytes) << row.name;
  }
}

TEST(GgmlTypeTest, NamesRemovedTypes) {
  EXPECT_EQ(removed_ggml_type_name(4), "Q4_2");
  EXPECT_EQ(removed_ggml_type_name(31), "Q4_0_4_4");
  EXPECT_EQ(removed_ggml_type_name(38), "IQ4_NL_8_8");
  EXPECT_EQ(find_ggml_type(4), nullptr);
}

}  // namespace
}  // namespace invar
