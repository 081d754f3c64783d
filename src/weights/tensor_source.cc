// See tensor_source.h.
#include "weights/tensor_source.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"
#include "kernels/panel/mxfp4.h"

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

void sort_by_name(std::vector<SourceTensor>& tensors) {
  std::sort(tensors.begin(), tensors.end(),
            [](const SourceTensor& a, const SourceTensor& b) { return a.name < b.name; });
}

constexpr std::string_view kU8 = "U8";
constexpr std::string_view kPackedSuffix = "_packed";
constexpr std::string_view kScaleSuffix = "_scale";
constexpr int64_t kMxfp4Columns = 32;

// The tensor that the pair stands for.
SourceTensor mxfp4_tensor(const SourceTensor& packed, const SourceTensor& scale) {
  if (scale.type_name != kU8) {
    fail(Code::kUnsupported, "{}: tensor '{}': type: expected U8 (E8M0 scales of '{}'), found {}",
         scale.file, scale.name, packed.name, scale.type_name);
  }
  const int64_t columns = packed.shape.size() == 2 ? 2 * packed.shape[1] : 0;
  if (columns == 0 || columns % kMxfp4Columns != 0) {
    fail(Code::kBadFile, "{}: tensor '{}': expected [rows, a multiple of {}], found [{}]",
         packed.file, packed.name, kMxfp4Columns / 2, fmt::join(packed.shape, ", "));
  }
  const std::vector<int64_t> scales{packed.shape[0], columns / kMxfp4Columns};
  if (scale.shape != scales) {
    fail(Code::kBadFile, "{}: tensor '{}': expected [{}], found [{}]", scale.file, scale.name,
         fmt::join(scales, ", "), fmt::join(scale.shape, ", "));
  }
  SourceTensor joined = packed;
  joined.name.remove_suffix(kPackedSuffix.size());
  joined.type = GgmlType::kMXFP4;
  joined.type_name = ggml_type_name(GgmlType::kMXFP4);
  joined.shape[1] = columns;
  joined.scales = scale.data;
  joined.drop_pages = [nibbles = packed.drop_pages, scale_pages = scale.drop_pages] {
    nibbles();
    scale_pages();
  };
  return joined;
}

}  // namespace

const std::byte* SourceTensor::stored_row(int64_t row, int64_t row_bytes,
                                          std::byte* scratch) const {
  if (scales.empty()) {
    return data.data() + row * row_bytes;
  }
  const int64_t groups = shape[1] / kMxfp4Columns;
  for (int64_t g = row * groups; g < (row + 1) * groups; ++g) {
    panel::join_mxfp4_group(data.data() + g * kMxfp4Columns / 2, scales[g],
                            scratch + (g - row * groups) * panel::Mxfp4::kFileBytes);
  }
  return scratch;
}

TensorSource::TensorSource(const Checkpoint& checkpoint) : label_(checkpoint.directory().string()) {
  for (const CheckpointTensor& tensor : checkpoint.tensors()) {
    tensors_.push_back({.name = tensor.entry->name,
                        .file = tensor.file->label(),
                        .type = matrix_type(tensor.entry->type),
                        .type_name = safetensors_type_name(tensor.entry->type),
                        .shape = tensor.entry->shape,
                        .data = tensor.entry->data,
                        .scales = {},
                        .drop_pages = [tensor] { tensor.file->drop_pages(*tensor.entry); }});
  }
  join_mxfp4_pairs();
}

void TensorSource::join_mxfp4_pairs() {
  std::vector<SourceTensor> joined;
  std::set<std::string_view> parts;
  for (const SourceTensor& packed : tensors_) {
    if (packed.type_name != kU8 || !packed.name.ends_with(kPackedSuffix)) {
      continue;
    }
    const std::string name(packed.name.substr(0, packed.name.size() - kPackedSuffix.size()));
    const SourceTensor* scale = find(name + std::string(kScaleSuffix));
    if (scale != nullptr && find(name) == nullptr) {
      joined.push_back(mxfp4_tensor(packed, *scale));
      parts.insert({packed.name, scale->name});
    }
  }
  std::erase_if(tensors_, [&](const SourceTensor& each) { return parts.contains(each.name); });
  tensors_.insert(tensors_.end(), joined.begin(), joined.end());
  sort_by_name(tensors_);
}

TensorSource::TensorSource(const GgufFile& file) : gguf_(true), label_(file.label()) {
  for (const GgufTensor& tensor : file.tensors()) {
    tensors_.push_back({.name = tensor.name,
                        .file = file.label(),
                        .type = tensor.type,
                        .type_name = ggml_type_name(tensor.type),
                        .shape = tensor.shape,
                        .data = tensor.data,
                        .scales = {},
                        .drop_pages = [&file, &tensor] { file.drop_pages(tensor); }});
  }
  sort_by_name(tensors_);
}

const SourceTensor* TensorSource::find(std::string_view name) const {
  const auto it = std::lower_bound(
      tensors_.begin(), tensors_.end(), name,
      [](const SourceTensor& tensor, std::string_view wanted) { return tensor.name < wanted; });
  return it != tensors_.end() && it->name == name ? &*it : nullptr;
}

}  // namespace invar
