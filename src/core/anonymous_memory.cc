// mmap and munmap behind AnonymousMemory.
#include "core/anonymous_memory.h"

#include <sys/mman.h>

#include <utility>

#include "core/error.h"

namespace invar {

AnonymousMemory::AnonymousMemory(size_t bytes, std::string_view purpose) : size_bytes_(bytes) {
  if (bytes == 0) {
    return;
  }
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    size_bytes_ = 0;
    fail(Code::kExhausted, "memory for {}: {} bytes could not be allocated", purpose, bytes);
  }
  data_ = static_cast<std::byte*>(mapped);
  // Large pages save address translations while weights stream by; a refusal does not matter.
  madvise(data_, bytes, MADV_HUGEPAGE);
}

AnonymousMemory::~AnonymousMemory() {
  if (data_ != nullptr) {
    munmap(data_, size_bytes_);
  }
}

AnonymousMemory::AnonymousMemory(AnonymousMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_bytes_(std::exchange(other.size_bytes_, 0)) {}

AnonymousMemory& AnonymousMemory::operator=(AnonymousMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_bytes_, other.size_bytes_);
  return *this;
}

}  // namespace invar
