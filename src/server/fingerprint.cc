// See fingerprint.h.
#include "server/fingerprint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "core/digest.h"
#include "core/numerics.h"
#include "formats/checkpoint.h"
#include "formats/gguf.h"
#include "formats/mapped_file.h"

namespace invar {
namespace {

constexpr size_t kTensorBytes = 4096;

// A digest over parts, each with its length, so that parts cannot flow into each other.
class PartsDigest {
 public:
  void add(std::span<const std::byte> part) {
    const uint64_t numbers[] = {value_, part.size(), digest64(part.data(), part.size())};
    value_ = digest64(numbers, sizeof(numbers));
  }
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  void add_tensor(const std::string& description, std::span<const std::byte> data) {
    add(description);
    add(data.first(std::min(data.size(), kTensorBytes)));
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0;
};

uint64_t gguf_digest(const std::filesystem::path& path) {
  const MappedFile mapped(path);
  const GgufFile file = GgufFile::parse(path.string(), mapped.bytes());
  size_t header_bytes = mapped.bytes().size();
  PartsDigest digest;
  for (const GgufTensor& tensor : file.tensors()) {
    const auto offset = static_cast<size_t>(tensor.data.data() - mapped.bytes().data());
    header_bytes = std::min(header_bytes, offset);
    digest.add_tensor(std::string(tensor.name), tensor.data);
  }
  digest.add(mapped.bytes().first(header_bytes));
  return digest.value();
}

uint64_t checkpoint_digest(const std::filesystem::path& path) {
  PartsDigest digest;
  digest.add(MappedFile(path / "config.json").bytes());
  const Checkpoint checkpoint = Checkpoint::open(path);
  for (const CheckpointTensor& tensor : checkpoint.tensors()) {
    digest.add_tensor(
        fmt::format("{} {} [{}]", tensor.entry->name, safetensors_type_name(tensor.entry->type),
                    fmt::join(tensor.entry->shape, ", ")),
        tensor.entry->data);
  }
  return digest.value();
}

}  // namespace

uint64_t model_digest(const std::filesystem::path& path) {
  return std::filesystem::is_directory(path) ? checkpoint_digest(path) : gguf_digest(path);
}

std::string system_fingerprint(uint64_t model_digest, const Model& model, int64_t positions_max) {
  const std::string policy = fmt::format(
      "activation {} kv {} context {} positions {}", dtype_name(model.policy.activation_dtype),
      dtype_name(model.policy.kv_dtype), model.context, positions_max);
  return fmt::format("m{:016x}-p{:08x}-n{}", model_digest,
                     static_cast<uint32_t>(digest64(policy.data(), policy.size())),
                     kNumericsVersion);
}

}  // namespace invar
