// See read_text.h.
#include "cli/read_text.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
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
  std::string text;
  char piece[65536];
  while (const ssize_t count = ::read(STDIN_FILENO, piece, sizeof(piece))) {
    if (count < 0 && errno != EINTR) {
      fail(Code::kIo, "standard input: cannot be read: {}", std::strerror(errno));
    }
    text.append(piece, static_cast<size_t>(std::max<ssize_t>(count, 0)));
  }
  return text;
}

}  // namespace invar
