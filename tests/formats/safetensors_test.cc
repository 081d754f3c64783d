// Reading of good safetensors files. The bad ones are in malformed_files_test.cc.
#include "formats/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <utility>

#include "formats/gguf_writer.h"
#include "formats/malformed_case.h"
#include "formats/temporary_directory.h"

namespace invar {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(SafetensorsTest, ReadsEntriesInTheOrderOfTheirBytes) {
  const std::string bytes = small_safetensors_file();
  const SafetensorsFile file = SafetensorsFile::parse("x.safetensors", bytes_of(bytes));
  EXPECT_EQ(file.label(), "x.safetensors");
  ASSERT_EQ(file.tensors().size(), 2u);
  const TensorEntry& a = file.tensors()[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.type, SafetensorsType::kBF16);
  EXPECT_THAT(a.shape, ElementsAre(2));
  EXPECT_EQ(text_of(a.data), "0123");
  const TensorEntry* b = file.find("b");
  ASSERT_EQ(b, &file.tensors()[1]);
  EXPECT_EQ(b->type, SafetensorsType::kF32);
  EXPECT_THAT(b->shape, ElementsAre(2, 1));
  EXPECT_EQ(text_of(b->data), "abcdefgh");
  EXPECT_EQ(file.find("c"), nullptr);
  EXPECT_EQ(file.find(""), nullptr);
  EXPECT_THAT(file.metadata(), ElementsAre(Pair("format", "pt")));
  file.drop_pages(a);  // does nothing: the bytes are not a mapping
}

TEST(SafetensorsTest, ReadsScalarsAndEmptyTensors) {
  const std::string bytes =
      safetensors_bytes({.header = R"({"empty":{"dtype":"F64","shape":[3,0],"data_offsets":[2,2]},)"
                                   R"("scalar":{"dtype":"F16","shape":[],"data_offsets":[0,2]},)"
                                   R"("first":{"dtype":"I64","shape":[0],"data_offsets":[0,0]}})",
                         .data = "xy"});
  const SafetensorsFile file = SafetensorsFile::parse("x.safetensors", bytes_of(bytes));
  ASSERT_EQ(file.tensors().size(), 3u);
  EXPECT_EQ(file.tensors()[0].name, "first");
  EXPECT_THAT(file.find("empty")->shape, ElementsAre(3, 0));
  EXPECT_THAT(file.find("empty")->data, IsEmpty());
  EXPECT_THAT(file.find("scalar")->shape, IsEmpty());
  EXPECT_EQ(text_of(file.find("scalar")->data), "xy");
}

TEST(SafetensorsTest, ReadsAFileWithoutTensors) {
  const std::string bytes = safetensors_bytes({.header = "{}      ", .data = ""});
  const SafetensorsFile file = SafetensorsFile::parse("x.safetensors", bytes_of(bytes));
  EXPECT_THAT(file.tensors(), IsEmpty());
  EXPECT_THAT(file.metadata(), IsEmpty());
}

TEST(SafetensorsTest, ReadsPackedElements) {
  const std::string bytes =
      safetensors_bytes({.header = R"({"f4":{"dtype":"F4","shape":[2,3],"data_offsets":[0,3]},)"
                                   R"("f6":{"dtype":"F6_E2M3","shape":[4],"data_offsets":[3,6]}})",
                         .data = "abcdef"});
  const SafetensorsFile file = SafetensorsFile::parse("x.safetensors", bytes_of(bytes));
  EXPECT_EQ(file.find("f4")->data.size(), 3u);
  EXPECT_EQ(file.find("f6")->data.size(), 3u);
}

TEST(SafetensorsTest, EntriesSurviveAMoveOfTheFile) {
  const TemporaryDirectory directory;
  SafetensorsFile first =
      SafetensorsFile::open(directory.write("x.safetensors", small_safetensors_file()));
  const TensorEntry* entry = first.find("b");
  const SafetensorsFile second = std::move(first);
  EXPECT_EQ(second.find("b"), entry);
  EXPECT_EQ(text_of(entry->data), "abcdefgh");
  second.drop_pages(*entry);
  EXPECT_EQ(text_of(entry->data), "abcdefgh");
}

TEST(SafetensorsTest, ReadsGoldenFiles) {
  const std::filesystem::path directory =
      std::filesystem::path(INVAR_SOURCE_DIR) / "../shared/golden/llama";
  if (!std::filesystem::exists(directory)) {
    GTEST_SKIP() << directory << " is missing";
  }
  int files = 0;
  for (const auto& item : std::filesystem::directory_iterator(directory)) {
    if (item.path().extension() == ".safetensors") {
      EXPECT_FALSE(SafetensorsFile::open(item.path()).tensors().empty()) << item.path();
      ++files;
    }
  }
  EXPECT_GE(files, 2);
  const SafetensorsFile model = SafetensorsFile::open(directory / "model.safetensors");
  const TensorEntry* embedding = model.find("model.embed_tokens.weight");
  ASSERT_NE(embedding, nullptr);
  EXPECT_THAT(embedding->shape, ElementsAre(256, 64));
  EXPECT_EQ(embedding->data.size(),
            256u * 64 * static_cast<size_t>(safetensors_type_bits(embedding->type)) / 8);
}

}  // namespace
}  // namespace invar
