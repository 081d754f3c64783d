// Test support: a directory of its own for a test, removed at the end.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "core/error.h"

namespace invar {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = std::filesystem::path(testing::TempDir()) / "invar-XXXXXX";
    INVAR_CHECK(::mkdtemp(name.data()) != nullptr, "{}", name);
    path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(std::string_view name, std::string_view content) const {
    std::ofstream stream(path_ / name, std::ios::binary);
    stream << content;
    stream.close();
    INVAR_CHECK(stream.good(), "{}", name);
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace invar
