// See read_text.h.
#include "cli/read_text.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "core/error.h"

namespace invar {

std::string read_text_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    fail(Code::kBadFile, "{}: expected a file, found a directory", path);
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    fail(Code::kIo, "{}: cannot be opened: {}", path, std::strerror(errno));
  }
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string read_standard_input() {
  return {std::istreambuf_iterator<char>(std::cin), {}};
}

}  // namespace invar
