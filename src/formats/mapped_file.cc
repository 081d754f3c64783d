// Read-only file mappings by mmap (mapped_file.h).
#include "formats/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <utility>

#include "core/error.h"

namespace invar {
namespace {

std::string errno_text(int error) {
  return std::generic_category().message(error);
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int number) : number_(number) {}
  ~FileDescriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

// A mapping and its file's name, for a handler that may interrupt anything. An entry is taken while
// `size_bytes` is not 0, which is written last and read first.
struct NamedMapping {
  std::atomic<bool> taken{false};
  std::atomic<size_t> size_bytes{0};
  std::atomic<uintptr_t> begin{0};
  std::array<char, 256> name{};  // its end, if it is longer
};
constinit std::array<NamedMapping, 64> named_mappings{};

void remember(const void* data, size_t size_bytes, std::string_view name) {
  for (NamedMapping& entry : named_mappings) {
    if (!entry.taken.exchange(true)) {
      name = name.substr(name.size() - std::min(name.size(), entry.name.size() - 1));
      entry.name.fill('\0');
      std::memcpy(entry.name.data(), name.data(), name.size());
      entry.begin.store(reinterpret_cast<uintptr_t>(data));
      entry.size_bytes.store(size_bytes);
      return;
    }
  }
}

void forget(const void* data) {
  for (NamedMapping& entry : named_mappings) {
    if (entry.size_bytes.load() != 0 && entry.begin.load() == reinterpret_cast<uintptr_t>(data)) {
      entry.size_bytes.store(0);
      entry.taken.store(false);
      return;
    }
  }
}

}  // namespace

std::string_view mapped_file_at(const void* address) noexcept {
  for (const NamedMapping& entry : named_mappings) {
    const size_t size_bytes = entry.size_bytes.load();
    if (size_bytes != 0 && reinterpret_cast<uintptr_t>(address) - entry.begin.load() < size_bytes) {
      return entry.name.data();
    }
  }
  return {};
}

MappedFile::MappedFile(std::filesystem::path path) : path_(std::move(path)) {
  // O_NONBLOCK: opening a FIFO that nobody writes to would otherwise wait for ever.
  const FileDescriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) {
    fail(Code::kIo, "{}: cannot open: {}", path_.string(), errno_text(errno));
  }
  struct stat status {};
  const int stat_result = ::fstat(file.number(), &status);
  INVAR_CHECK(stat_result == 0, "{}: {}", path_.string(), errno_text(errno));
  if (!S_ISREG(status.st_mode)) {
    fail(Code::kBadFile, "{}: expected a regular file, found {}", path_.string(),
         S_ISDIR(status.st_mode) ? "a directory" : "a pipe, socket or device");
  }
  if (status.st_size == 0) {
    fail(Code::kBadFile, "{}: the file is empty", path_.string());
  }
  const auto size = static_cast<size_t>(status.st_size);
  void* mapping = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (mapping == MAP_FAILED) {
    fail(Code::kIo, "{}: cannot map {} bytes: {}", path_.string(), size, errno_text(errno));
  }
  data_ = static_cast<const std::byte*>(mapping);
  size_bytes_ = size;
  remember(data_, size_bytes_, path_.native());
}

MappedFile::~MappedFile() {
  unmap();
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_bytes_(std::exchange(other.size_bytes_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    unmap();
    path_ = std::move(other.path_);
    data_ = std::exchange(other.data_, nullptr);
    size_bytes_ = std::exchange(other.size_bytes_, 0);
  }
  return *this;
}

void MappedFile::unmap() noexcept {
  if (data_ != nullptr) {
    forget(data_);
    ::munmap(const_cast<std::byte*>(data_), size_bytes_);
  }
}

void MappedFile::drop_pages(std::span<const std::byte> part) const {
  if (part.empty()) {
    return;
  }
  const auto begin = reinterpret_cast<uintptr_t>(part.data());
  const auto base = reinterpret_cast<uintptr_t>(data_);
  INVAR_CHECK(
      begin >= base && part.size() <= size_bytes_ && begin - base <= size_bytes_ - part.size(),
      "{}: the part is not inside the mapping", path_.string());
  const auto page_bytes = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const uintptr_t first = (begin + page_bytes - 1) / page_bytes * page_bytes;
  // The file's last page is whole even if the file ends inside it.
  uintptr_t last = (begin + part.size()) / page_bytes * page_bytes;
  if (begin + part.size() == base + size_bytes_) {
    last = begin + part.size();
  }
  if (first < last) {
    // Advice only: if the kernel declines (locked pages), the memory merely stays resident.
    ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
  }
}

}  // namespace invar
