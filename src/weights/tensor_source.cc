// See tensor_source.h.
#include "weights/tensor_source.h"

#include <algorithm>

namespace invar {
namespace {

std::optional<GgmlType> matrix_type(SafetensorsType type) {
  switch (type) {
    case SafetensorsType::kF32:
      return GgmlType::kF32;
    case SafetensorsType::kF16:
      return GgmlType::kF16;
    case SafetensorsType::kBF16:
      return GgmlType::kBF16;
    default:
      return std::nullopt;
  }
}

}  // namespace

TensorSource::TensorSource(const Checkpoint& checkpoint) : label_(checkpoint.directory().string()) {
  for (const CheckpointTensor& tensor : checkpoint.tensors()) {
    tensors_.push_back({.name = tensor.entry->name,
                        .file = tensor.file->label(),
                        .type = matrix_type(tensor.entry->type),
                        .type_name = safetensors_type_name(tensor.entry->type),
                        .shape = tensor.entry->shape,
                        .data = tensor.entry->data,
                        .drop_pages = [tensor] { tensor.file->drop_pages(*tensor.entry); }});
  }
}

TensorSource::TensorSource(const GgufFile& file) : gguf_(true), label_(file.label()) {
  for (const GgufTensor& tensor : file.tensors()) {
    tensors_.push_back({.name = tensor.name,
                        .file = file.label(),
                        .type = tensor.type,
                        .type_name = ggml_type_name(tensor.type),
                        .shape = tensor.shape,
                        .data = tensor.data,
                        .drop_pages = [&file, &tensor] { file.drop_pages(tensor); }});
  }
  std::sort(tensors_.begin(), tensors_.end(),
            [](const SourceTensor& a, const SourceTensor& b) { return a.name < b.name; });
}

const SourceTensor* TensorSource::find(std::string_view name) const {
  const auto it = std::lower_bound(
      tensors_.begin(), tensors_.end(), name,
      [](const SourceTensor& tensor, std::string_view wanted) { return tensor.name < wanted; });
  return it != tensors_.end() && it->name == name ? &*it : nullptr;
}

}  // namespace invar
