// The named tensors of a checkpoint, the same for safetensors and GGUF, with a record of which were
// used.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/checkpoint.h"
#include "formats/ggml_type.h"
#include "formats/gguf.h"

namespace invar {

// One tensor's bytes in a mapped file. `type` is empty for a published element type that has no
// matrix format here (say F64); `type_name` is its published name either way.
struct SourceTensor {
  std::string_view name;
  std::string file;
  std::optional<GgmlType> type;
  std::string_view type_name;
  std::vector<int64_t> shape;  // slowest axis first
  std::span<const std::byte> data;
  std::function<void()> drop_pages;  // gives the file's pages back after packing
};

// Does not own the files: they must outlive it.
class TensorSource {
 public:
  explicit TensorSource(const Checkpoint& checkpoint);
  explicit TensorSource(const GgufFile& file);

  bool is_gguf() const { return gguf_; }
  // What to call the whole in messages: the directory or the file.
  const std::string& label() const { return label_; }
  // Null if there is no such tensor.
  [[nodiscard]] const SourceTensor* find(std::string_view name) const;
  const std::vector<SourceTensor>& tensors() const { return tensors_; }  // sorted by name

 private:
  bool gguf_ = false;
  std::string label_;
  std::vector<SourceTensor> tensors_;
};

}  // namespace invar
