// A file mapped read-only into memory: how every weight file is read. Nothing is parsed here.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace invar {

// Owns the mapping; move-only. Moving keeps the address of the bytes, so spans into them stay
// valid. All methods are const and may be called from any thread. If another process shortens the
// file while it is mapped, touching the lost pages raises SIGBUS (mapped_file_at names it): model
// files must not be edited in place while in use (replacing them by a rename is safe).
class MappedFile {
 public:
  // Error kIo if the operating system refuses, kBadFile if `path` is not a regular file or is
  // empty.
  explicit MappedFile(std::filesystem::path path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::span<const std::byte> bytes() const { return {data_, size_bytes_}; }

  // Gives the whole pages inside `part` (a part of bytes()) back to the operating system, so that
  // resident memory falls after weights were repacked. The bytes stay readable: they are read from
  // the file again when touched.
  void drop_pages(std::span<const std::byte> part) const;

 private:
  void unmap() noexcept;

  std::filesystem::path path_;
  const std::byte* data_ = nullptr;
  size_t size_bytes_ = 0;
};

// The file whose mapping holds this address; empty if it is not known (the table of names has a
// place for each of 64 files). For handlers of signals: takes no lock and no memory. The text is
// valid as long as the file is mapped.
std::string_view mapped_file_at(const void* address) noexcept;

}  // namespace invar
