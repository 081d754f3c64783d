// Writing of safetensors files: what was written is read back, and a failed write leaves nothing.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstring>

#include "formats/expect_error.h"
#include "formats/safetensors.h"
#include "formats/temporary_directory.h"

namespace invar {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<std::string> names_in(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  for (const auto& item : std::filesystem::directory_iterator(directory)) {
    names.push_back(item.path().filename());
  }
  return names;
}

TEST(SafetensorsWriterTest, WritesWhatTheReaderReads) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory.path() / "x.safetensors";
  const std::vector<float> floats = {1.5f, -2.0f, 0.0f, 3.0f};
  const std::vector<int32_t> integers = {-7};
  SafetensorsWriter writer;
  writer.add_f32("logits", {2, 2}, floats);
  writer.add_i32("a \"name\"\n", {}, integers);
  writer.add_f32("empty", {0, 5}, {});
  writer.set_metadata({{"made by", "a test"}});
  writer.write(path);
  EXPECT_THAT(names_in(directory.path()), ElementsAre("x.safetensors"));
  const SafetensorsFile file = SafetensorsFile::open(path);
  EXPECT_THAT(file.metadata(), ElementsAre(Pair("made by", "a test")));
  const TensorEntry* logits = file.find("logits");
  ASSERT_NE(logits, nullptr);
  EXPECT_EQ(logits->type, SafetensorsType::kF32);
  EXPECT_THAT(logits->shape, ElementsAre(2, 2));
  EXPECT_EQ(std::memcmp(logits->data.data(), floats.data(), logits->data.size()), 0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(logits->data.data()) % 8, 0u);
  const TensorEntry* scalar = file.find("a \"name\"\n");
  ASSERT_NE(scalar, nullptr);
  EXPECT_EQ(scalar->type, SafetensorsType::kI32);
  EXPECT_EQ(std::memcmp(scalar->data.data(), integers.data(), 4), 0);
  ASSERT_NE(file.find("empty"), nullptr);
}

TEST(SafetensorsWriterTest, NeedsNoMetadata) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory.path() / "x.safetensors";
  const std::vector<int32_t> integers = {1, 2};
  SafetensorsWriter writer;
  writer.add_i32("a", {1}, std::span(integers).first(1));
  writer.add_i32("b", {1}, std::span(integers).last(1));
  writer.write(path);
  const SafetensorsFile file = SafetensorsFile::open(path);
  ASSERT_EQ(file.tensors().size(), 2u);
  EXPECT_EQ(file.find("b")->data[0], std::byte{2});
  EXPECT_TRUE(file.metadata().empty());
}

TEST(SafetensorsWriterTest, ReplacesAFileAndPassesOverLeftOvers) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory.write("x.safetensors", "old");
  // As if an earlier process of the same id had died while it wrote.
  directory.write("x.safetensors.partial-" + std::to_string(::getpid()) + "-0", "left over");
  const SafetensorsWriter writer;
  writer.write(path);
  EXPECT_TRUE(SafetensorsFile::open(path).tensors().empty());
  EXPECT_EQ(names_in(directory.path()).size(), 2u);
}

TEST(SafetensorsWriterTest, SaysWhenThereIsNoPlace) {
  const TemporaryDirectory directory;
  const SafetensorsWriter writer;
  const std::string absent = directory.path() / "absent" / "x.safetensors";
  expect_error([&] { writer.write(absent); }, Code::kIo,
               absent + ": cannot write: No such file or directory");
  const std::string occupied = directory.path() / "occupied";
  std::filesystem::create_directory(occupied);
  expect_error([&] { writer.write(occupied); }, Code::kBadFile,
               occupied + ": expected a regular file, found a directory");
  EXPECT_THAT(names_in(directory.path()), ElementsAre("occupied"));
}

TEST(SafetensorsWriterTest, LeavesPipesAsTheyAre) {
  const TemporaryDirectory directory;
  const std::string pipe = directory.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string link = directory.path() / "link";
  std::filesystem::create_symlink("pipe", link);
  for (const std::string& path : {pipe, link}) {
    expect_error([&] { SafetensorsWriter().write(path); }, Code::kBadFile,
                 path + ": expected a regular file, found a pipe, socket or device");
  }
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_EQ(names_in(directory.path()).size(), 2u);
}

TEST(SafetensorsWriterTest, WritesWhereALinkPoints) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.path() / "other");
  directory.write("other/old", "old");
  for (const std::string name : {"old", "new"}) {
    const std::filesystem::path link = directory.path() / ("to-" + name);
    std::filesystem::create_symlink("other/" + name, link);
    SafetensorsWriter().write(link);
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_TRUE(SafetensorsFile::open(directory.path() / "other" / name).tensors().empty());
  }
}

TEST(SafetensorsWriterDeathTest, ASignalLeavesNothing) {
  const TemporaryDirectory directory;
  const int nameless = ::open(directory.path().c_str(), O_WRONLY | O_TMPFILE, 0600);
  if (nameless < 0) {
    GTEST_SKIP() << "this file system has no files without names";
  }
  ::close(nameless);
  const std::vector<float> floats(100'000);
  SafetensorsWriter writer;
  writer.add_f32("w", {100'000}, floats);
  const auto write_beyond_the_limit = [&] {
    const rlimit small{.rlim_cur = 4096, .rlim_max = 4096};
    ::setrlimit(RLIMIT_FSIZE, &small);
    writer.write(directory.path() / "x.safetensors");
  };
  EXPECT_EXIT(write_beyond_the_limit(), testing::KilledBySignal(SIGXFSZ), "");
  EXPECT_TRUE(names_in(directory.path()).empty());
}

TEST(SafetensorsWriterTest, RemovesThePartialFileAfterAShortWrite) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory.write("x.safetensors", "old");
  const std::vector<float> floats(100'000);
  SafetensorsWriter writer;
  writer.add_f32("w", {100'000}, floats);
  // A limit on the size of files: the first write is short, the next one fails.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{.rlim_cur = 4096, .rlim_max = before.rlim_max};
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string message;
  try {
    writer.write(path);
  } catch (const Error& error) {
    message = error.what();
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, handler);
  EXPECT_EQ(message, path.string() + ": cannot write: File too large");
  EXPECT_THAT(names_in(directory.path()), ElementsAre("x.safetensors"));
  EXPECT_EQ(std::filesystem::file_size(path), 3u);
}

TEST(SafetensorsWriterTest, SaysWhenTheDiskIsFull) {
  const TemporaryDirectory directory;
  if (::mount("tmpfs", directory.path().c_str(), "tmpfs", 0, "size=64k") != 0) {
    GTEST_SKIP() << "mounting a small disk needs a privilege that this user lacks";
  }
  const std::vector<float> floats(100'000);
  SafetensorsWriter writer;
  writer.add_f32("w", {100'000}, floats);
  const std::string path = directory.path() / "x.safetensors";
  expect_error([&] { writer.write(path); }, Code::kIo,
               path + ": cannot write: No space left on device");
  EXPECT_TRUE(names_in(directory.path()).empty());
  EXPECT_EQ(::umount(directory.path().c_str()), 0);
}

TEST(SafetensorsWriterDeathTest, ChecksItsCaller) {
  const std::vector<float> floats(4);
  EXPECT_DEATH(SafetensorsWriter().add_f32("w", {5}, floats), "5 elements, 16 bytes");
  EXPECT_DEATH(SafetensorsWriter().add_f32("w", {-1}, floats), "size -1");
  EXPECT_DEATH(SafetensorsWriter().add_f32("__metadata__", {4}, floats), "__metadata__");
  EXPECT_DEATH(SafetensorsWriter().add_f32("\xff", {4}, floats), "internal error");
  EXPECT_DEATH(SafetensorsWriter().set_metadata({{"k", "\xff"}}), "key 'k'");
  SafetensorsWriter writer;
  writer.add_f32("w", {4}, floats);
  EXPECT_DEATH(writer.add_f32("w", {4}, floats), "added twice");
}

}  // namespace
}  // namespace invar
