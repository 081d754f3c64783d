// Large memory straight from the operating system: zero-filled, page-aligned, resident only where
// touched.
#pragma once

#include <cstddef>
#include <string_view>

namespace invar {

// Owns the mapping; move-only.
class AnonymousMemory {
 public:
  AnonymousMemory() = default;
  // Error kExhausted if the system refuses; `purpose` is named in the message.
  AnonymousMemory(size_t bytes, std::string_view purpose);
  ~AnonymousMemory();
  AnonymousMemory(AnonymousMemory&& other) noexcept;
  AnonymousMemory& operator=(AnonymousMemory&& other) noexcept;
  AnonymousMemory(const AnonymousMemory&) = delete;
  AnonymousMemory& operator=(const AnonymousMemory&) = delete;

  std::byte* data() const { return data_; }
  size_t size_bytes() const { return size_bytes_; }

 private:
  std::byte* data_ = nullptr;
  size_t size_bytes_ = 0;
};

}  // namespace invar
