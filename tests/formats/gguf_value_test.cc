// GGUF values: names, sizes, and that reading one as another type is a bug of the caller.
#include "formats/gguf_value.h"

#include <gtest/gtest.h>

#include "formats/gguf_writer.h"

namespace invar {
namespace {

TEST(GgufValueTest, NamesAndSizesOfTypes) {
  EXPECT_EQ(gguf_type_name(GgufType::kU8), "u8");
  EXPECT_EQ(gguf_type_name(GgufType::kF32), "f32");
  EXPECT_EQ(gguf_type_name(GgufType::kString), "string");
  EXPECT_EQ(gguf_type_name(GgufType::kF64), "f64");
  EXPECT_EQ(gguf_type_bytes(GgufType::kBool), 1u);
  EXPECT_EQ(gguf_type_bytes(GgufType::kI16), 2u);
  EXPECT_EQ(gguf_type_bytes(GgufType::kF64), 8u);
  EXPECT_EQ(gguf_type_bytes(GgufType::kString), 0u);
}

TEST(GgufValueTest, LengthOfElements) {
  EXPECT_EQ(gguf_element_bytes(GgufType::kU32, {}), 4u);
  const std::string text = gguf_string_bytes("abc") + "more";
  EXPECT_EQ(gguf_element_bytes(GgufType::kString, bytes_of(text)), 11u);
  const std::string array =
      gguf_array_bytes({.element_type = 8, .count = 2, .elements = text.substr(0, 11) + text}) +
      "more";
  EXPECT_EQ(gguf_element_bytes(GgufType::kArray, bytes_of(array)), 12u + 22u);
}

TEST(GgufValueDeathTest, ChecksTheType) {
  const std::string text = gguf_string_bytes("abc");
  const GgufValue value{.type = GgufType::kString,
                        .element_type = GgufType::kString,
                        .count = 1,
                        .bytes = bytes_of(text)};
  EXPECT_EQ(value.string(), "abc");
  EXPECT_DEATH((void)value.scalar<uint32_t>(), "found string");
  EXPECT_DEATH((void)value.strings(), "found string");
  EXPECT_DEATH((void)value.arrays(), "found string");
  EXPECT_DEATH((void)value.numbers<float>(), "found string");
  const GgufValue number{};
  EXPECT_DEATH((void)number.string(), "found u8");
}

}  // namespace
}  // namespace invar
