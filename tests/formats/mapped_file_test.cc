// Mapping of files: contents, ownership, refusals, and that dropped pages leave memory.
#include "formats/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "formats/expect_error.h"
#include "formats/gguf_writer.h"
#include "formats/temporary_directory.h"

namespace invar {
namespace {

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(MappedFileTest, ShowsTheBytesAndMovesWithoutMovingThem) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory.write("file", "hello");
  const std::filesystem::path other_path = directory.write("other", "something else");
  MappedFile first(path);
  const std::byte* address = first.bytes().data();
  EXPECT_EQ(text_of(first.bytes()), "hello");
  MappedFile second(std::move(first));
  EXPECT_EQ(second.bytes().data(), address);
  EXPECT_EQ(second.path(), path);
  MappedFile third(other_path);
  third = std::move(second);
  EXPECT_EQ(third.bytes().data(), address);
  EXPECT_EQ(text_of(third.bytes()), "hello");
}

TEST(MappedFileTest, KeepsTheOldBytesWhenTheFileIsReplaced) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory.write("file", "old");
  const MappedFile file(path);
  std::filesystem::rename(directory.write("next", "new one"), path);
  EXPECT_EQ(text_of(file.bytes()), "old");
}

TEST(MappedFileTest, RefusesWhatIsNotAFileWithBytes) {
  const TemporaryDirectory directory;
  const std::string path = directory.path().string();
  expect_error([&] { MappedFile file(path + "/absent"); }, Code::kIo,
               path + "/absent: cannot open: No such file or directory");
  expect_error([&] { MappedFile file(path); }, Code::kBadFile,
               path + ": expected a regular file, found a directory");
  const std::filesystem::path empty = directory.write("empty", "");
  expect_error([&] { MappedFile file(empty); }, Code::kBadFile,
               empty.string() + ": the file is empty");
  const std::string pipe = path + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_error([&] { MappedFile file(pipe); }, Code::kBadFile,
               pipe + ": expected a regular file, found a pipe, socket or device");
  expect_error([&] { MappedFile file("/dev/null"); }, Code::kBadFile,
               "/dev/null: expected a regular file, found a pipe, socket or device");
}

TEST(MappedFileTest, SaysWhenTheSystemCannotMap) {
  // A file without content but larger than the address space.
  const int number = ::memfd_create("huge", 0);
  ASSERT_GE(number, 0);
  constexpr off_t kSize = off_t{1} << 50;
  ASSERT_EQ(::ftruncate(number, kSize), 0);
  const std::string path = "/proc/self/fd/" + std::to_string(number);
  expect_error([&] { MappedFile file(path); }, Code::kIo,
               path + ": cannot map 1125899906842624 bytes: Cannot allocate memory");
  ::close(number);
}

// Pages of the range that are in this process's memory now.
int64_t resident_pages(std::span<const std::byte> bytes) {
  // /proc/self/smaps counts what this process has mapped in; mincore would count the page cache.
  std::ifstream smaps("/proc/self/smaps");
  const std::string address = fmt::format("{:x}-", reinterpret_cast<uintptr_t>(bytes.data()));
  std::string line;
  bool inside = false;
  while (std::getline(smaps, line)) {
    inside = inside || line.starts_with(address);
    if (inside && line.starts_with("Rss:")) {
      return std::stoll(line.substr(4)) * 1024 / ::sysconf(_SC_PAGESIZE);
    }
  }
  ADD_FAILURE() << "the mapping is not in /proc/self/smaps";
  return -1;
}

int64_t sum_of(std::span<const std::byte> bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), int64_t{0}, [](int64_t sum, std::byte byte) {
    return sum + std::to_integer<int64_t>(byte);
  });
}

TEST(MappedFileTest, DroppedPagesLeaveMemoryAndCanBeReadAgain) {
  const TemporaryDirectory directory;
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  const std::string content(64 * page + 100, 'x');
  const MappedFile file(directory.write("file", content));
  const std::span<const std::byte> bytes = file.bytes();
  EXPECT_EQ(sum_of(bytes), static_cast<int64_t>(content.size()) * 'x');
  ASSERT_EQ(resident_pages(bytes), 65);
  // Only whole pages inside the part: pages 2 to 9 of the part from the middle of page 1.
  file.drop_pages(bytes.subspan(page + 10, 9 * page));
  EXPECT_EQ(resident_pages(bytes), 65 - 8);
  file.drop_pages(bytes.subspan(20 * page + 1, page));
  EXPECT_EQ(resident_pages(bytes), 65 - 8);
  file.drop_pages(bytes.subspan(5, 0));
  // The file's last page counts as whole although the file ends inside it.
  file.drop_pages(bytes.subspan(64 * page));
  EXPECT_EQ(resident_pages(bytes), 65 - 9);
  file.drop_pages(bytes);
  EXPECT_EQ(resident_pages(bytes), 0);
  EXPECT_EQ(sum_of(bytes), static_cast<int64_t>(content.size()) * 'x');
}

TEST(MappedFile, AnAddressLeadsToTheFile) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory.write("file", "hello");
  const std::filesystem::path long_path = directory.write(std::string(250, 'n'), "hello");
  const std::byte* address = nullptr;
  {
    const MappedFile file(path);
    address = file.bytes().data();
    EXPECT_EQ(mapped_file_at(address + 4), path.native());
    EXPECT_EQ(mapped_file_at(address + 5), "");
    const MappedFile other(long_path);  // the end of its name
    EXPECT_TRUE(long_path.native().ends_with(mapped_file_at(other.bytes().data())));
    EXPECT_EQ(mapped_file_at(other.bytes().data()).size(), 255u);
    std::vector<MappedFile> more;
    for (int i = 0; i < 70; ++i) {
      more.emplace_back(path);
    }
    EXPECT_EQ(mapped_file_at(more.front().bytes().data()), path.native());
    EXPECT_EQ(mapped_file_at(more.back().bytes().data()), "");  // no place is left
    const MappedFile moved = std::move(more.front());
    EXPECT_EQ(mapped_file_at(moved.bytes().data()), path.native());
  }
  EXPECT_EQ(mapped_file_at(address), "");
}

TEST(MappedFileDeathTest, DropPagesChecksThePart) {
  const TemporaryDirectory directory;
  const MappedFile file(directory.write("file", "hello"));
  const std::string other = "other";
  EXPECT_DEATH(file.drop_pages(bytes_of(other)), "not inside the mapping");
}

}  // namespace
}  // namespace invar
