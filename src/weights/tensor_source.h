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
//
// Safetensors files store MXFP4 as a pair: NAME_packed, U8 [rows, columns / 2], and NAME_scale, U8
// [rows, columns / 32]. Here the pair is one tensor NAME of type MXFP4 and shape [rows, columns].
struct SourceTensor {
  std::string_view name;
  std::string file;
  std::optional<GgmlType> type;
  std::string_view type_name;
  std::vector<int64_t> shape;  // slowest axis first
  std::span<const std::byte> data;
  std::span<const std::byte> scales;  // of such a pair, whose nibbles are `data`; else empty
  std::function<void()> drop_pages;   // gives the file's pages back after packing

  // Row `row`, of `row_bytes` bytes as its type's groups define them. Rows of a pair are put
  // together in `scratch`.
  const std::byte* stored_row(int64_t row, int64_t row_bytes, std::byte* scratch) const;
};

// Does not own the files: they must outlive it.
class TensorSource {
 public:
  // Error kBadFile where the shapes of an MXFP4 pair do not go together, kUnsupported where its
  // scales have another type than U8.
  explicit TensorSource(const Checkpoint& checkpoint);
  explicit TensorSource(const GgufFile& file);

  bool is_gguf() const { return gguf_; }
  // What to call the whole in messages: the directory or the file.
  const std::string& label() const { return label_; }
  // Null if there is no such tensor.
  [[nodiscard]] const SourceTensor* find(std::string_view name) const;
  const std::vector<SourceTensor>& tensors() const { return tensors_; }  // sorted by name

 private:
  void join_mxfp4_pairs();

  bool gguf_ = false;
  std::string label_;
  std::vector<SourceTensor> tensors_;
};

}  // namespace invar
