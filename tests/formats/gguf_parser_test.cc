// GGUF parsing: versions, tensors, and the time for a large vocabulary. The malformed files are in
// malformed_files_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "formats/gguf.h"
#include "formats/gguf_writer.h"

namespace invar {
namespace {

using testing::ElementsAre;

TEST(GgufParserTest, ReadsTensors) {
  for (const uint32_t version : {2u, 3u}) {
    GgufWriter writer;
    writer.version = version;
    writer.set_alignment(64);
    writer.add_tensor(
        {.name = "weight", .type = GgmlType::kF32, .shape = {2, 1}, .data = "abcdefgh"});
    writer.add_zero_tensor("quantized", GgmlType::kQ4_K, {3, 2, 512});
    writer.add_tensor({.name = "scalar", .type = GgmlType::kI8, .shape = {}, .data = "z"});
    writer.add_zero_tensor("empty", GgmlType::kF16, {0, 4});
    const std::string bytes = writer.build();
    const GgufFile file = GgufFile::parse("t.gguf", bytes_of(bytes));
    EXPECT_EQ(file.version(), version);
    EXPECT_EQ(file.alignment(), 64u);
    ASSERT_EQ(file.tensors().size(), 4u);
    const GgufTensor* weight = file.find_tensor("weight");
    ASSERT_EQ(weight, &file.tensors()[0]);
    EXPECT_THAT(weight->shape, ElementsAre(2, 1));
    EXPECT_EQ(std::memcmp(weight->data.data(), "abcdefgh", 8), 0);
    EXPECT_EQ((weight->data.data() - bytes_of(bytes).data()) % 64, 0);
    const GgufTensor* quantized = file.find_tensor("quantized");
    ASSERT_NE(quantized, nullptr);
    EXPECT_EQ(quantized->type, GgmlType::kQ4_K);
    EXPECT_THAT(quantized->shape, ElementsAre(3, 2, 512));
    EXPECT_EQ(quantized->data.size(), 3u * 2 * 2 * 144);
    EXPECT_EQ(file.find_tensor("scalar")->data.size(), 1u);
    EXPECT_EQ(file.find_tensor("empty")->data.size(), 0u);
    EXPECT_EQ(file.find_tensor("absent"), nullptr);
    file.drop_pages(*weight);  // does nothing: the bytes are not a mapping
  }
}

TEST(GgufParserTest, AcceptsWhatIsJustWithinTheLimits) {
  GgufWriter writer;
  writer.set_alignment(8);
  const std::string long_key(65535, 'k');
  writer.add<uint32_t>(long_key, 5);
  std::string array = gguf_array_bytes({.element_type = 0, .count = 1, .elements = "x"});
  for (int level = 0; level < 3; ++level) {
    array = gguf_array_bytes({.element_type = 9, .count = 1, .elements = array});
  }
  writer.add_raw("four levels", 9, array);
  const std::string long_name(64, 'n');
  writer.add_zero_tensor(long_name, GgmlType::kI8, {1, 1, 2, 2});
  const std::string bytes = writer.build();
  const GgufFile file = GgufFile::parse("x.gguf", bytes_of(bytes));
  EXPECT_EQ(file.alignment(), 8u);
  EXPECT_EQ(file.get<uint32_t>(long_key), 5u);
  EXPECT_EQ(file.find_value("four levels")->arrays()[0].arrays()[0].arrays()[0].bytes.size(), 1u);
  EXPECT_THAT(file.find_tensor(long_name)->shape, ElementsAre(1, 1, 2, 2));
}

TEST(GgufParserTest, ReadsAFileThatEndsWithItsTables) {
  GgufWriter writer;
  writer.add<uint8_t>("k", 1);
  writer.add_zero_tensor("t", GgmlType::kI8, {0});
  std::string bytes = writer.build();
  EXPECT_EQ(GgufFile::parse("x.gguf", bytes_of(bytes)).tensors().size(), 1u);
  // Without the padding before data that nobody has.
  bytes.resize(24 + 8 + 1 + 4 + 1 + 8 + 1 + 4 + 8 + 4 + 8);
  EXPECT_EQ(GgufFile::parse("x.gguf", bytes_of(bytes)).find_tensor("t")->data.size(), 0u);
}

TEST(GgufParserTest, ReadsALargeVocabularyQuickly) {
  std::vector<std::string> words(150'000);
  for (size_t i = 0; i < words.size(); ++i) {
    words[i] = "word" + std::to_string(i);
  }
  GgufWriter writer;
  writer.add_strings("tokenizer.ggml.tokens", words);
  const std::string bytes = writer.build();
  const auto start = std::chrono::steady_clock::now();
  const GgufFile file = GgufFile::parse("v.gguf", bytes_of(bytes));
  const std::vector<std::string_view> views = file.get_strings("tokenizer.ggml.tokens");
  const auto elapsed = std::chrono::steady_clock::now() - start;
  ASSERT_EQ(views.size(), words.size());
  EXPECT_EQ(views.back(), words.back());
  // A few milliseconds when optimised; the bound leaves room for sanitizers on a busy machine.
  EXPECT_LT(elapsed, std::chrono::milliseconds(500));
  RecordProperty("microseconds", static_cast<int>(elapsed / std::chrono::microseconds(1)));
}

}  // namespace
}  // namespace invar
