// Reference files beside the source tree (../shared/text), unpacked into a temporary folder. Tests
// that need them skip themselves where they are missing.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace invar::test {

inline std::filesystem::path shared_text() {
  return std::filesystem::path(INVAR_SOURCE_DIR) / ".." / "shared" / "text";
}

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// A folder that vanishes with this object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "invar_text_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // Unpacks `packed` (NAME.xz) to NAME in this folder.
  std::filesystem::path unpack(const std::filesystem::path& packed) const {
    const std::filesystem::path target = path_ / packed.stem();
    const std::string command = "xz -dc '" + packed.string() + "' > '" + target.string() + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return target;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace invar::test
