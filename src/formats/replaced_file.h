// A file that is written whole or not at all: until `commit`, what stood under its name stays.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace invar {

// Errors: kIo "PATH: cannot write: REASON"; kBadFile if something stands there that is no file (a
// folder, a device, a pipe), which a new file would replace. Links are followed, so that they keep
// pointing to the file, which keeps its permissions.
class ReplacedFile {
 public:
  explicit ReplacedFile(const std::filesystem::path& path);
  ~ReplacedFile();
  ReplacedFile(const ReplacedFile&) = delete;
  ReplacedFile& operator=(const ReplacedFile&) = delete;

  void append(std::span<const std::byte> bytes);
  // Makes the bytes durable and gives the file its name.
  void commit();

 private:
  template <class Create>
  [[nodiscard]] bool give_name(const Create& create);
  void check(bool success) const;

  std::filesystem::path target_;
  std::string name_;  // while it has one that is not final
  int number_ = -1;
};

}  // namespace invar
