// Opening of model directories. Broken ones are in malformed_files_test.cc.
#include "formats/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "formats/expect_error.h"
#include "formats/malformed_case.h"
#include "formats/temporary_directory.h"

namespace invar {
namespace {

std::string shard(const std::string& name) {
  return safetensors_bytes(
      {.header = R"({")" + name + R"(":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
       .data = "x"});
}

std::vector<std::string> names_of(const Checkpoint& checkpoint) {
  std::vector<std::string> names;
  for (const CheckpointTensor& tensor : checkpoint.tensors()) {
    names.push_back(tensor.entry->name);
  }
  return names;
}

TEST(CheckpointTest, PrefersTheSingleFile) {
  const TemporaryDirectory directory;
  directory.write("model.safetensors", shard("one"));
  directory.write("golden.safetensors", shard("other"));
  directory.write("model.safetensors.index.json", "not even JSON");
  const Checkpoint checkpoint = Checkpoint::open(directory.path());
  EXPECT_THAT(names_of(checkpoint), testing::ElementsAre("one"));
  EXPECT_EQ(checkpoint.directory(), directory.path());
  EXPECT_EQ(checkpoint.files().size(), 1u);
}

TEST(CheckpointTest, OpensTheShardsOfTheIndex) {
  const TemporaryDirectory directory;
  directory.write("s1.safetensors", shard("b"));
  directory.write("s2.safetensors", shard("a"));
  directory.write("unrelated.safetensors", shard("z"));
  directory.write("model.safetensors.index.json",
                  R"({"metadata":{"total_size":2},)"
                  R"("weight_map":{"a":"s2.safetensors","b":"s1.safetensors"}})");
  const Checkpoint checkpoint = Checkpoint::open(directory.path());
  EXPECT_THAT(names_of(checkpoint), testing::ElementsAre("a", "b"));
  const CheckpointTensor* b = checkpoint.find("b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->file->label(), (directory.path() / "s1.safetensors").string());
  EXPECT_EQ(checkpoint.find("z"), nullptr);
}

TEST(CheckpointTest, OpensAllShardsWithoutAnIndex) {
  const TemporaryDirectory directory;
  directory.write("model-00001-of-00002.safetensors", shard("b"));
  directory.write("model-00002-of-00002.safetensors", shard("a"));
  directory.write("README.md", "text");
  Checkpoint first = Checkpoint::open(directory.path());
  const CheckpointTensor* a = first.find("a");
  ASSERT_NE(a, nullptr);
  const Checkpoint second = std::move(first);
  EXPECT_THAT(names_of(second), testing::ElementsAre("a", "b"));
  EXPECT_EQ(second.find("a"), a);
  EXPECT_EQ(a->file->find("a"), a->entry);
  a->file->drop_pages(*a->entry);
}

TEST(CheckpointTest, NeedsADirectory) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("model.safetensors", shard("a"));
  expect_error([&] { Checkpoint::open(file); }, Code::kBadFile, file + ": expected a directory");
  const std::string absent = directory.path() / "absent";
  expect_error([&] { Checkpoint::open(absent); }, Code::kBadFile,
               absent + ": expected a directory");
}

TEST(CheckpointTest, RefusesAHugeIndex) {
  const TemporaryDirectory directory;
  const std::filesystem::path index = directory.write("model.safetensors.index.json", "{}");
  std::filesystem::resize_file(index, 268435457);  // sparse
  expect_error([&] { Checkpoint::open(directory.path()); }, Code::kBadFile,
               index.string() + ": expected at most 268435456 bytes, found 268435457");
}

TEST(CheckpointTest, OpensGoldenModels) {
  const std::filesystem::path root = std::filesystem::path(INVAR_SOURCE_DIR) / "../shared/golden";
  if (!std::filesystem::exists(root)) {
    GTEST_SKIP() << root << " is missing";
  }
  int models = 0;
  for (const auto& item : std::filesystem::directory_iterator(root)) {
    if (std::filesystem::exists(item.path() / "model.safetensors")) {
      EXPECT_FALSE(Checkpoint::open(item.path()).tensors().empty()) << item.path();
      ++models;
    }
  }
  EXPECT_GE(models, 1);
}

}  // namespace
}  // namespace invar
