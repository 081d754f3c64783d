// GGUF reading: values of every type, lookups and their errors, tensors, and a real file.
#include "formats/gguf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <limits>

#include "formats/expect_error.h"
#include "formats/gguf_writer.h"

namespace invar {
namespace {

using testing::ElementsAre;

// A file with one value of every type. The views point into static storage.
GgufFile file_with_every_type() {
  static const std::string bytes = [] {
    GgufWriter writer;
    writer.add<uint8_t>("u8", 200);
    writer.add<int8_t>("i8", -100);
    writer.add<uint16_t>("u16", 60000);
    writer.add<int16_t>("i16", -30000);
    writer.add<uint32_t>("u32", 4000000000u);
    writer.add<int32_t>("i32", -2000000000);
    writer.add<float>("f32", 1.5f);
    writer.add<bool>("bool", true);
    writer.add_string("string", "text");
    writer.add<uint64_t>("u64", std::numeric_limits<uint64_t>::max());
    writer.add<int64_t>("i64", std::numeric_limits<int64_t>::min());
    writer.add<double>("f64", 0.1);
    writer.add<uint64_t>("small u64", 7);
    writer.add_strings("strings", std::vector<std::string>{"a", "", "ccc"});
    writer.add_array<int32_t>("i32s", std::vector<int32_t>{-1, 2});
    writer.add_array<uint8_t>("bools as u8", std::vector<uint8_t>{1, 0});
    writer.add_raw("bools", 9,
                   gguf_array_bytes({.element_type = 7, .count = 2, .elements = {1, 0}}));
    writer.add_array<float>("no f32s", std::vector<float>{});
    const std::string inner =
        gguf_array_bytes({.element_type = 2, .count = 2, .elements = std::string("\1\0\2\0", 4)});
    writer.add_raw("nested", 9,
                   gguf_array_bytes({.element_type = 9, .count = 2, .elements = inner + inner}));
    return writer.build();
  }();
  return GgufFile::parse("every.gguf", bytes_of(bytes));
}

TEST(GgufTest, ReadsEveryScalarType) {
  const GgufFile file = file_with_every_type();
  EXPECT_EQ(file.get<uint8_t>("u8"), 200);
  EXPECT_EQ(file.get<int8_t>("i8"), -100);
  EXPECT_EQ(file.get<uint16_t>("u16"), 60000);
  EXPECT_EQ(file.get<int16_t>("i16"), -30000);
  EXPECT_EQ(file.get<uint32_t>("u32"), 4000000000u);
  EXPECT_EQ(file.get<int32_t>("i32"), -2000000000);
  EXPECT_EQ(file.get<float>("f32"), 1.5f);
  EXPECT_TRUE(file.get<bool>("bool"));
  EXPECT_EQ(file.get_string("string"), "text");
  EXPECT_EQ(file.get<uint64_t>("u64"), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(file.get<int64_t>("i64"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(file.get<double>("f64"), 0.1);
  EXPECT_EQ(file.version(), 3u);
  EXPECT_EQ(file.alignment(), 32u);
  EXPECT_EQ(file.entries().front().key, "u8");
}

TEST(GgufTest, ReadsIntegersOfAnyWidth) {
  const GgufFile file = file_with_every_type();
  EXPECT_EQ(file.get_integer("u8"), 200);
  EXPECT_EQ(file.get_integer("i8"), -100);
  EXPECT_EQ(file.get_integer("u16"), 60000);
  EXPECT_EQ(file.get_integer("i16"), -30000);
  EXPECT_EQ(file.get_integer("u32"), 4000000000);
  EXPECT_EQ(file.get_integer("i32"), -2000000000);
  EXPECT_EQ(file.get_integer("i64"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(file.get_integer("small u64"), 7);
  EXPECT_FALSE(file.find_integer("absent"));
  expect_error([&] { (void)file.get_integer("u64"); }, Code::kBadFile,
               "every.gguf: key 'u64': expected an integer below 2^63, found 18446744073709551615");
  expect_error([&] { (void)file.get_integer("f32"); }, Code::kBadFile,
               "every.gguf: key 'f32': expected an integer, found f32");
  expect_error([&] { (void)file.get_integer("absent"); }, Code::kBadFile,
               "every.gguf: key 'absent': expected an integer, found nothing");
}

TEST(GgufTest, ReadsArrays) {
  const GgufFile file = file_with_every_type();
  EXPECT_THAT(file.get_strings("strings"), ElementsAre("a", "", "ccc"));
  EXPECT_THAT(file.get_array<int32_t>("i32s"), ElementsAre(-1, 2));
  EXPECT_THAT(file.get_array<bool>("bools"), ElementsAre(true, false));
  EXPECT_THAT(file.get_array<float>("no f32s"), ElementsAre());
  EXPECT_THAT(file.get_integers("i32s"), ElementsAre(-1, 2));
  EXPECT_THAT(file.get_integers("bools as u8"), ElementsAre(1, 0));
  EXPECT_FALSE(file.find_array<float>("absent"));
  EXPECT_FALSE(file.find_strings("absent"));
  EXPECT_FALSE(file.find_integers("absent"));
  const GgufValue* nested = file.find_value("nested");
  ASSERT_NE(nested, nullptr);
  EXPECT_EQ(nested->type_text(), "array of array");
  const std::vector<GgufValue> inner = nested->arrays();
  ASSERT_EQ(inner.size(), 2u);
  EXPECT_THAT(inner[1].numbers<uint16_t>(), ElementsAre(1, 2));
}

TEST(GgufTest, ReadsIntegerArraysOfEveryWidth) {
  GgufWriter writer;
  writer.add_array<int8_t>("i8", std::vector<int8_t>{-1});
  writer.add_array<uint16_t>("u16", std::vector<uint16_t>{60000});
  writer.add_array<int16_t>("i16", std::vector<int16_t>{-2});
  writer.add_array<uint32_t>("u32", std::vector<uint32_t>{4000000000u});
  writer.add_array<int64_t>("i64", std::vector<int64_t>{-3});
  writer.add_array<uint64_t>("u64", std::vector<uint64_t>{4});
  const std::string bytes = writer.build();
  const GgufFile file = GgufFile::parse("x.gguf", bytes_of(bytes));
  EXPECT_THAT(file.get_integers("i8"), ElementsAre(-1));
  EXPECT_THAT(file.get_integers("u16"), ElementsAre(60000));
  EXPECT_THAT(file.get_integers("i16"), ElementsAre(-2));
  EXPECT_THAT(file.get_integers("u32"), ElementsAre(4000000000));
  EXPECT_THAT(file.get_integers("i64"), ElementsAre(-3));
  expect_error([&] { (void)file.get_integers("u64"); }, Code::kBadFile,
               "x.gguf: key 'u64': expected array of integers, found array of u64");
}

TEST(GgufTest, LookupsNameKeyExpectedAndFound) {
  const GgufFile file = file_with_every_type();
  expect_error([&] { (void)file.get<uint32_t>("string"); }, Code::kBadFile,
               "every.gguf: key 'string': expected u32, found string");
  expect_error([&] { (void)file.get<uint32_t>("absent"); }, Code::kBadFile,
               "every.gguf: key 'absent': expected u32, found nothing");
  expect_error([&] { (void)file.find<float>("f64"); }, Code::kBadFile,
               "every.gguf: key 'f64': expected f32, found f64");
  expect_error([&] { (void)file.get_string("strings"); }, Code::kBadFile,
               "every.gguf: key 'strings': expected string, found array of string");
  expect_error([&] { (void)file.get_string("absent"); }, Code::kBadFile,
               "every.gguf: key 'absent': expected string, found nothing");
  expect_error([&] { (void)file.get_array<float>("i32s"); }, Code::kBadFile,
               "every.gguf: key 'i32s': expected array of f32, found array of i32");
  expect_error([&] { (void)file.get_array<float>("absent"); }, Code::kBadFile,
               "every.gguf: key 'absent': expected array of f32, found nothing");
  expect_error([&] { (void)file.get_strings("u8"); }, Code::kBadFile,
               "every.gguf: key 'u8': expected array of string, found u8");
  expect_error([&] { (void)file.get_strings("absent"); }, Code::kBadFile,
               "every.gguf: key 'absent': expected array of string, found nothing");
  expect_error([&] { (void)file.get_integers("strings"); }, Code::kBadFile,
               "every.gguf: key 'strings': expected array of integers, found array of string");
  expect_error([&] { (void)file.get_integers("u8"); }, Code::kBadFile,
               "every.gguf: key 'u8': expected array of integers, found u8");
  expect_error([&] { (void)file.get_integers("absent"); }, Code::kBadFile,
               "every.gguf: key 'absent': expected array of integers, found nothing");
}

TEST(GgufTest, ViewsSurviveAMoveOfTheFile) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "moved.gguf";
  GgufWriter writer;
  writer.add_string("name", "x");
  writer.add_zero_tensor("weight", GgmlType::kF32, {65536});
  writer.write(path);
  GgufFile first = GgufFile::open(path);
  const GgufTensor* tensor = first.find_tensor("weight");
  const GgufFile second = std::move(first);
  EXPECT_EQ(second.find_tensor("weight"), tensor);
  second.drop_pages(*tensor);
  EXPECT_EQ(tensor->data[100], std::byte{0});
  EXPECT_EQ(second.get_string("name"), "x");
  EXPECT_EQ(second.label(), path.string());
  std::filesystem::remove(path);
}

TEST(GgufTest, ReadsARealFile) {
  const std::filesystem::path path =
      std::filesystem::path(INVAR_SOURCE_DIR) / "models/SmolLM2-135M-Instruct.Q4_1.gguf";
  if (!std::filesystem::exists(path)) {
    GTEST_SKIP() << path << " is missing";
  }
  const GgufFile file = GgufFile::open(path);
  EXPECT_EQ(file.get_string("general.architecture"), "llama");
  EXPECT_EQ(file.get<uint32_t>("llama.block_count"), 30u);
  EXPECT_EQ(file.get_strings("tokenizer.ggml.tokens").size(), 49152u);
  EXPECT_EQ(file.get_array<int32_t>("tokenizer.ggml.token_type").size(), 49152u);
  const GgufTensor* embedding = file.find_tensor("token_embd.weight");
  ASSERT_NE(embedding, nullptr);
  EXPECT_EQ(embedding->type, GgmlType::kQ8_0);
  EXPECT_THAT(embedding->shape, ElementsAre(49152, 576));
  const GgufTensor* down = file.find_tensor("blk.29.ffn_down.weight");
  ASSERT_NE(down, nullptr);
  EXPECT_EQ(down->type, GgmlType::kQ4_1);
  EXPECT_THAT(down->shape, ElementsAre(576, 1536));
}

}  // namespace
}  // namespace invar
