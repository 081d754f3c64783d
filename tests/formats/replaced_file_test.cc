// Whole or not at all, and what stays as it was. Devices and folders: safetensors_writer_test.cc.
#include "formats/replaced_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <string>

#include "formats/expect_error.h"
#include "formats/temporary_directory.h"

namespace invar {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void append(ReplacedFile& file, const std::string& text) {
  file.append(std::as_bytes(std::span(text)));
}

TEST(ReplacedFile, TheOldFileStaysUntilCommit) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory.write("f", "old");
  {
    ReplacedFile file(path);
    append(file, "new");
  }
  EXPECT_EQ(text_of(path), "old");
  ReplacedFile file(path);
  append(file, "ne");
  append(file, "w");
  EXPECT_EQ(text_of(path), "old");
  file.commit();
  EXPECT_EQ(text_of(path), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1);
}

TEST(ReplacedFile, KeepsLinksAndPermissions) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory.write("f", "old");
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  const std::filesystem::path link = directory.path() / "link";
  std::filesystem::create_symlink("f", link);
  ReplacedFile file(link);
  append(file, "new");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(text_of(path), "new");
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST(ReplacedFile, SaysWhyItCannotWrite) {
  expect_error([] { ReplacedFile("/nonexistent/f"); }, Code::kIo,
               "/nonexistent/f: cannot write: No such file or directory");
}

}  // namespace
}  // namespace invar
