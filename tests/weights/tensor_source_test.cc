// One view of the tensors of both formats.
#include "weights/tensor_source.h"

#include <gtest/gtest.h>

#include "formats/gguf_writer.h"
#include "formats/temporary_directory.h"
#include "weights/tensor_bytes.h"

namespace invar {
namespace {

TEST(TensorSource, OfACheckpoint) {
  const TemporaryDirectory directory;
  write_safetensors(directory.path(),
                    {{.name = "b", .dtype = "BF16", .shape = {2, 2}, .data = std::string(8, '\0')},
                     {.name = "d", .dtype = "F64", .shape = {1}, .data = std::string(8, '\0')},
                     {.name = "a", .dtype = "F32", .shape = {3}, .data = f32_bytes({1, 2, 3})},
                     {.name = "c", .dtype = "F16", .shape = {1}, .data = f16_bytes({1})}});
  const Checkpoint checkpoint = Checkpoint::open(directory.path());
  const TensorSource source(checkpoint);
  EXPECT_FALSE(source.is_gguf());
  EXPECT_EQ(source.label(), directory.path().string());
  ASSERT_EQ(source.tensors().size(), 4u);
  for (size_t i = 1; i < source.tensors().size(); ++i) {
    EXPECT_LT(source.tensors()[i - 1].name, source.tensors()[i].name);
  }
  const SourceTensor* a = source.find("a");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->type, GgmlType::kF32);
  EXPECT_EQ(a->shape, (std::vector<int64_t>{3}));
  EXPECT_EQ(a->file, (directory.path() / "model.safetensors").string());
  EXPECT_EQ(std::memcmp(a->data.data(), f32_bytes({1, 2, 3}).data(), 12), 0);
  a->drop_pages();
  EXPECT_EQ(std::memcmp(a->data.data(), f32_bytes({1, 2, 3}).data(), 12), 0);  // read again
  EXPECT_EQ(source.find("b")->type, GgmlType::kBF16);
  EXPECT_EQ(source.find("c")->type, GgmlType::kF16);
  // A type without a matrix format keeps its name, for messages.
  EXPECT_EQ(source.find("d")->type, std::nullopt);
  EXPECT_EQ(source.find("d")->type_name, "F64");
  EXPECT_EQ(source.find("e"), nullptr);
  EXPECT_EQ(source.find(""), nullptr);
}

TEST(TensorSource, OfAGgufFile) {
  GgufWriter writer;
  writer.add_string("general.architecture", "llama");
  writer.add_tensor({.name = "z", .type = GgmlType::kF32, .shape = {2}, .data = f32_bytes({5, 6})});
  writer.add_zero_tensor("a", GgmlType::kQ4_1, {3, 64});
  const std::string bytes = writer.build();
  const GgufFile file = GgufFile::parse("m.gguf", bytes_of(bytes));
  const TensorSource source(file);
  EXPECT_TRUE(source.is_gguf());
  EXPECT_EQ(source.label(), "m.gguf");
  ASSERT_EQ(source.tensors().size(), 2u);
  EXPECT_EQ(source.tensors()[0].name, "a");  // by name, not in the file's order
  const SourceTensor* a = source.find("a");
  EXPECT_EQ(a->type, GgmlType::kQ4_1);
  EXPECT_EQ(a->type_name, "Q4_1");
  EXPECT_EQ(a->shape, (std::vector<int64_t>{3, 64}));
  EXPECT_EQ(a->data.size(), 3u * 2 * 20);
  EXPECT_EQ(a->file, "m.gguf");
  a->drop_pages();
  EXPECT_EQ(source.find("b"), nullptr);
}

}  // namespace
}  // namespace invar
