// Families are found by model_type and by GGUF architecture.
#include <gtest/gtest.h>

#include <set>

#include "models/family.h"

namespace invar {
namespace {

TEST(Registry, FindsFamilies) {
  for (const char* name : {"llama", "qwen2", "qwen3"}) {
    const Family* family = find_family(name, /*gguf=*/false);
    ASSERT_NE(family, nullptr) << name;
    EXPECT_EQ(family->name, name);
    EXPECT_EQ(find_family(name, /*gguf=*/true), family);
  }
  EXPECT_EQ(find_family("Llama", false), nullptr);
  EXPECT_EQ(find_family("", true), nullptr);
}

TEST(Registry, NamesAreUnique) {
  std::set<std::string_view> names;
  std::set<std::string_view> architectures;
  for (const Family* family : families()) {
    EXPECT_TRUE(names.insert(family->name).second);
    EXPECT_NE(family->build, nullptr);
    for (const std::string_view architecture : family->gguf_architectures) {
      EXPECT_TRUE(architectures.insert(architecture).second);
    }
  }
}

}  // namespace
}  // namespace invar
