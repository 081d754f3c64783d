// Writing of safetensors files, atomically (safetensors.h).
#include <fcntl.h>
#include <simdjson.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/error.h"
#include "formats/safetensors.h"

namespace invar {
namespace {

constexpr int kLinksMax = 40;  // as many as Linux follows

// Where the bytes of `path` go: links are followed, so that they keep pointing to the file. What is
// there and is no file (a device, a pipe) would be lost under a rename.
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

// A file without a name in the folder of the final path, so that no end of the process leaves
// anything behind; where the file system has no such files, one under a name of its own.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& target) : target_(target) {
    const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
    number_ = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    if (number_ < 0) {
      check(give_name([this](const char* name) {
        number_ = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        return number_ >= 0;
      }));
    }
  }
  ~TemporaryFile() {
    if (number_ >= 0) {
      ::close(number_);
    }
    if (!name_.empty()) {
      ::unlink(name_.c_str());
    }
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void append(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(number_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) {
        continue;
      }
      check(written >= 0);
      bytes = bytes.subspan(static_cast<size_t>(written));
    }
  }

  // Makes the bytes durable and gives the file its final name.
  void commit() {
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

 private:
  // A file of the same name can only be left over from a process that died; tries other names.
  template <class Create>
  [[nodiscard]] bool give_name(const Create& create) {
    for (int attempt = 0; attempt < 100; ++attempt) {
      const std::string name =
          fmt::format("{}.partial-{}-{}", target_.string(), ::getpid(), attempt);
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

  void check(bool success) const {
    if (!success) {
      const int error = errno;
      fail(Code::kIo, "{}: cannot write: {}", target_.string(),
           std::generic_category().message(error));
    }
  }

  std::filesystem::path target_;
  std::string name_;  // while it has one that is not final
  int number_ = -1;
};

}  // namespace

void SafetensorsWriter::add_f32(std::string name, std::vector<int64_t> shape,
                                std::span<const float> data) {
  add({std::move(name), std::move(shape), SafetensorsType::kF32, std::as_bytes(data)});
}

void SafetensorsWriter::add_i32(std::string name, std::vector<int64_t> shape,
                                std::span<const int32_t> data) {
  add({std::move(name), std::move(shape), SafetensorsType::kI32, std::as_bytes(data)});
}

void SafetensorsWriter::set_metadata(std::map<std::string, std::string> metadata) {
  for (const auto& [key, value] : metadata) {
    INVAR_CHECK(simdjson::validate_utf8(key) && simdjson::validate_utf8(value), "key '{}'", key);
  }
  metadata_ = std::move(metadata);
}

void SafetensorsWriter::add(Item item) {
  int64_t elements = 1;
  for (const int64_t size : item.shape) {
    INVAR_CHECK(size >= 0, "tensor '{}': size {}", item.name, size);
    elements *= size;
  }
  INVAR_CHECK(
      elements * safetensors_type_bits(item.type) / 8 == static_cast<int64_t>(item.data.size()),
      "tensor '{}': {} elements, {} bytes", item.name, elements, item.data.size());
  INVAR_CHECK(simdjson::validate_utf8(item.name) && item.name != "__metadata__", "tensor '{}'",
              item.name);
  INVAR_CHECK(std::none_of(items_.begin(), items_.end(),
                           [&item](const Item& other) { return other.name == item.name; }),
              "tensor '{}' was added twice", item.name);
  items_.push_back(std::move(item));
}

std::string SafetensorsWriter::header() const {
  // Written piece by piece, so that the entries keep the order of their bytes.
  std::string text = "{";
  if (!metadata_.empty()) {
    text += "\"__metadata__\":" + nlohmann::json(metadata_).dump();
  }
  size_t offset = 0;
  for (const Item& item : items_) {
    text += text.size() > 1 ? "," : "";
    text += fmt::format("{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                        nlohmann::json(item.name).dump(), safetensors_type_name(item.type),
                        fmt::join(item.shape, ","), offset, offset + item.data.size());
    offset += item.data.size();
  }
  text += "}";
  // Spaces up to a multiple of 8 keep the data aligned.
  text.append((8 - text.size() % 8) % 8, ' ');
  return text;
}

void SafetensorsWriter::write(const std::filesystem::path& path) const {
  const std::string text = header();
  const auto length = static_cast<uint64_t>(text.size());
  TemporaryFile file(regular_target(path));
  file.append(std::as_bytes(std::span(&length, 1)));
  file.append(std::as_bytes(std::span(text)));
  for (const Item& item : items_) {
    file.append(item.data);
  }
  file.commit();
}

}  // namespace invar
