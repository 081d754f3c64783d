// A file without a name in the folder of the final path, so that no end of the process leaves
// anything behind; where the file system has no such files, one under a name of its own.
#include "formats/replaced_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "core/error.h"

namespace invar {
namespace {

constexpr int kLinksMax = 40;  // as many as Linux follows

// Where the bytes of `path` go.
std::filesystem::path regular_target(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;  // what cannot be looked at fails when it is opened, with its reason
  const fs::file_type type = fs::status(path, ignored).type();
  if (type != fs::file_type::regular && type != fs::file_type::not_found &&
      type != fs::file_type::none) {
    fail(Code::kBadFile, "{}: expected a regular file, found {}", path.string(),
         type == fs::file_type::directory ? "a directory" : "a pipe, socket or device");
  }
  fs::path target = path;
  for (int links = 0; links < kLinksMax && fs::is_symlink(target, ignored); ++links) {
    target = target.parent_path() / fs::read_symlink(target, ignored);
  }
  return target;
}

}  // namespace

ReplacedFile::ReplacedFile(const std::filesystem::path& path) : target_(regular_target(path)) {
  const std::filesystem::path folder = target_.has_parent_path() ? target_.parent_path() : ".";
  number_ = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  if (number_ < 0) {
    check(give_name([this](const char* name) {
      number_ = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      return number_ >= 0;
    }));
  }
  struct stat status {};
  if (::stat(target_.c_str(), &status) == 0) {
    // Where the file system has no permissions, there are none to keep.
    [[maybe_unused]] const int result = ::fchmod(number_, status.st_mode & 07777);
  }
}

ReplacedFile::~ReplacedFile() {
  if (number_ >= 0) {
    ::close(number_);
  }
  if (!name_.empty()) {
    ::unlink(name_.c_str());
  }
}

void ReplacedFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(number_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    check(written >= 0);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

void ReplacedFile::commit() {
  check(::fsync(number_) == 0);
  if (name_.empty()) {
    const std::string nameless = fmt::format("/proc/self/fd/{}", number_);
    check(give_name([&](const char* name) {
      return ::linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
    }));
  }
  check(::rename(name_.c_str(), target_.c_str()) == 0);
  name_.clear();
}

// A file of the same name can only be left over from a process that died; tries other names.
template <class Create>
bool ReplacedFile::give_name(const Create& create) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::string name = fmt::format("{}.partial-{}-{}", target_.string(), ::getpid(), attempt);
    if (create(name.c_str())) {
      name_ = name;
      return true;
    }
    if (errno != EEXIST) {
      break;
    }
  }
  return false;
}

void ReplacedFile::check(bool success) const {
  if (!success) {
    const int error = errno;
    fail(Code::kIo, "{}: cannot write: {}", target_.string(),
         std::generic_category().message(error));
  }
}

}  // namespace invar
