// See weight_store.h.
#include "weights/weight_store.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

#include "core/error.h"
#include "core/math.h"
#include "formats/name_runs.h"
#include "kernels/panel/mxfp4.h"

namespace invar {
namespace {

// What views and matrices point to when only metadata was asked for; never read.
alignas(64) constexpr std::array<std::byte, 64> kNoData{};

std::string joined_names(std::span<const TensorRequest> parts) {
  std::vector<std::string> names;
  for (const TensorRequest& part : parts) {
    names.push_back(part.slices == 0 ? part.name : fmt::format("{}[{}]", part.name, part.slice));
  }
  return fmt::format("{}", fmt::join(names, "+"));
}

// Stands for tensors that are missing or of another shape: `finish` will refuse them. No memory is
// asked for on a configuration's word alone.
TensorView no_view(int64_t rows, int64_t columns) {
  return dense_view(const_cast<std::byte*>(kNoData.data()), DType::kF32, rows, columns);
}

bool contains_null(std::span<const SourceTensor* const> tensors) {
  return std::find(tensors.begin(), tensors.end(), nullptr) != tensors.end();
}

int64_t stored_row(const RowOrder& order, int64_t row) {
  return order.stored_row ? order.stored_row(row) : row;
}

void require_float(const SourceTensor& tensor) {
  const bool is_float = tensor.type == GgmlType::kF32 || tensor.type == GgmlType::kF16 ||
                        tensor.type == GgmlType::kBF16;
  if (!is_float) {
    fail(Code::kUnsupported, "{}: tensor '{}': type: expected F32, F16 or BF16, found {}",
         tensor.file, tensor.name, tensor.type_name);
  }
}

float element_as_f32(const SourceTensor& tensor, int64_t index) {
  const std::byte* data = tensor.data.data();
  uint16_t half = 0;
  float value = 0;
  switch (*tensor.type) {
    case GgmlType::kF32:
      std::memcpy(&value, data + index * 4, 4);
      return value;
    case GgmlType::kBF16:
      std::memcpy(&half, data + index * 2, 2);
      return bf16_to_f32(half);
    default:
      std::memcpy(&half, data + index * 2, 2);
      return f16_to_f32(half);
  }
}

// MXFP4's scales have one code for NaN, which no weight means.
void refuse_nan_scales(const SourceTensor& tensor) {
  if (tensor.type != GgmlType::kMXFP4) {
    return;
  }
  const bool pair = !tensor.scales.empty();
  const std::span<const std::byte> bytes = pair ? tensor.scales : tensor.data;
  const size_t step = pair ? 1 : panel::Mxfp4::kFileBytes;
  for (size_t group = 0; group * step < bytes.size(); ++group) {
    if (bytes[group * step] == std::byte{panel::Mxfp4::kNanScale}) {
      fail(Code::kBadFile,
           "{}: tensor '{}': scale of group {}: expected at most {}, found {} (NaN)", tensor.file,
           tensor.name, group, panel::Mxfp4::kNanScale - 1, panel::Mxfp4::kNanScale);
    }
  }
}

// Element `index` of a vector as `request` wants it.
float vector_element(const SourceTensor& tensor, const TensorRequest& request, int64_t index) {
  const float stored = element_as_f32(tensor, stored_row(request.order, index));
  if (!request.minus_exp) {
    return stored + request.plus;
  }
  if (!(stored < 0 && std::isfinite(stored))) {
    fail(Code::kBadFile, "{}: tensor '{}': element {}: expected a finite number below 0, found {}",
         tensor.file, tensor.name, index, stored);
  }
  return log_f32(0 - stored);
}

}  // namespace

RowOrder paired_heads(int64_t head_rows) {
  return {.stored_row = [head_rows, half = head_rows / 2](int64_t row) {
    const int64_t in_head = row % head_rows;
    return row - in_head + 2 * (in_head % half) + in_head / half;
  }};
}

RowOrder ungrouped(int64_t groups, std::vector<int64_t> part_rows) {
  const int64_t group_rows = std::accumulate(part_rows.begin(), part_rows.end(), int64_t{0});
  return {.stored_row = [groups, group_rows, parts = std::move(part_rows)](int64_t row) {
    int64_t first_in_group = 0;
    for (int64_t rows : parts) {
      if (row < groups * rows) {
        return row / rows * group_rows + first_in_group + row % rows;
      }
      row -= groups * rows;
      first_in_group += rows;
    }
    INVAR_CHECK(false, "row past the last group");
    return int64_t{0};
  }};
}

WeightStore::WeightStore(const TensorSource& source, WeightMemory& memory, Options options)
    : source_(source), memory_(memory), options_(options) {}

void WeightStore::report(const std::string& tensor, std::string what) {
  const auto [found, added] = problem_of_.emplace(what, problems_.size());
  if (added) {
    problems_.push_back({.what = std::move(what), .tensors = {}});
  }
  problems_[found->second].tensors.push_back(tensor);
}

const SourceTensor* WeightStore::take(const TensorRequest& request,
                                      std::span<const int64_t> shape) {
  used_.insert(request.name);
  const SourceTensor* tensor = source_.find(request.name);
  const bool same_shape =
      tensor != nullptr &&
      std::equal(shape.begin(), shape.end(), tensor->shape.begin(), tensor->shape.end());
  if (!same_shape && request.slice > 0) {
    return nullptr;  // slice 0 told of it
  }
  if (tensor == nullptr) {
    report(request.name, fmt::format(": expected [{}], found nothing", fmt::join(shape, ", ")));
    return nullptr;
  }
  if (!same_shape) {
    report(request.name, fmt::format(": expected [{}], found [{}]", fmt::join(shape, ", "),
                                     fmt::join(tensor->shape, ", ")));
    return nullptr;
  }
  return tensor;
}

int64_t WeightStore::ignore_all(std::string_view prefix) {
  int64_t count = 0;
  for (const SourceTensor& tensor : source_.tensors()) {
    if (tensor.name.starts_with(prefix)) {
      ignore(tensor.name);
      count += 1;
    }
  }
  return count;
}

int WeightStore::axes_left_out(const TensorRequest& request) const {
  const SourceTensor* tensor = source_.find(request.name);
  const bool flat = request.rows == 1 && tensor != nullptr && tensor->shape.size() == 1;
  return request.slices > 0 ? 0 : (flat ? 2 : 1);
}

const PackedMatrix* WeightStore::matrix(std::span<const TensorRequest> parts, int64_t columns) {
  const std::string names = joined_names(parts);
  if (const auto found = by_names_.find(names); found != by_names_.end()) {
    return found->second;
  }
  PackedMatrix& matrix = memory_.matrices.emplace_back();
  by_names_.emplace(names, &matrix);
  matrix.columns = columns;
  matrix.data = kNoData.data();
  PendingMatrix pending{.matrix = &matrix, .parts = {}};
  bool complete = true;
  for (const TensorRequest& request : parts) {
    matrix.rows += request.rows + request.zero_rows;
    const int64_t shape[] = {request.slices, request.rows, columns};
    const SourceTensor* tensor = take(request, std::span(shape).subspan(axes_left_out(request)));
    complete = complete && tensor != nullptr;
    if (tensor == nullptr) {
      continue;
    }
    const WeightFormatInfo* info =
        tensor->type ? find_weight_format(static_cast<uint32_t>(*tensor->type)) : nullptr;
    if (info == nullptr) {
      std::vector<std::string_view> known;
      for (const WeightFormatInfo& format : weight_formats()) {
        known.push_back(format.name);
      }
      fail(Code::kUnsupported, "{}: tensor '{}': type: expected one of {}, found {}", tensor->file,
           tensor->name, fmt::join(known, ", "), tensor->type_name);
    }
    if (!pending.parts.empty() && matrix.format != info->format) {
      fail(Code::kUnsupported, "{}: tensor '{}': type: expected {} as '{}' has, found {}",
           tensor->file, tensor->name, weight_format_info(matrix.format).name,
           pending.parts.front().tensor->name, info->name);
    }
    matrix.format = info->format;
    pending.parts.push_back({.tensor = tensor, .request = request});
  }
  if (complete) {
    weight_bytes_ += packed_bytes(matrix.format, matrix.rows, columns);
    pending_.push_back(std::move(pending));
  }
  return &matrix;
}

TensorView WeightStore::vector(std::span<const TensorRequest> parts) {
  const std::string names = joined_names(parts);
  if (const auto found = vectors_by_names_.find(names); found != vectors_by_names_.end()) {
    return found->second;
  }
  int64_t length = 0;
  std::vector<const SourceTensor*> tensors;
  for (const TensorRequest& request : parts) {
    const int64_t shape[] = {request.rows};
    tensors.push_back(take(request, shape));
    length += request.rows;
  }
  if (contains_null(tensors)) {
    return no_view(1, length);
  }
  memory_.buffers.emplace_back(static_cast<size_t>(length) * 4 + 64, names);
  const TensorView view = dense_view(memory_.buffers.back().data(), DType::kF32, 1, length);
  weight_bytes_ += length * 4;
  auto* destination = view.row<float>(0);
  for (size_t part = 0; part < parts.size(); ++part) {
    require_float(*tensors[part]);
    for (int64_t i = 0; i < parts[part].rows; ++i) {
      *destination++ = vector_element(*tensors[part], parts[part], i);
    }
  }
  vectors_by_names_.emplace(names, view);
  return view;
}

TensorView WeightStore::flat_vector(const std::string& name, int64_t length) {
  const SourceTensor* found = source_.find(name);
  std::vector<int64_t> shape{length};
  if (found != nullptr) {
    const int64_t stored = std::accumulate(found->shape.begin(), found->shape.end(), int64_t{1},
                                           std::multiplies<int64_t>());
    const auto long_axes = std::count_if(found->shape.begin(), found->shape.end(),
                                         [](int64_t size) { return size != 1; });
    if ((stored == length && long_axes <= 1) || (stored > length && found->shape.size() == 1)) {
      shape = found->shape;
    }
  }
  const SourceTensor* tensor = take({.name = name, .rows = length}, shape);
  if (tensor == nullptr) {
    return no_view(1, length);
  }
  require_float(*tensor);
  memory_.buffers.emplace_back(static_cast<size_t>(length) * 4 + 64, name);
  const TensorView view = dense_view(memory_.buffers.back().data(), DType::kF32, 1, length);
  weight_bytes_ += length * 4;
  for (int64_t i = 0; i < length; ++i) {
    view.row<float>(0)[i] = element_as_f32(*tensor, i);
  }
  const int64_t stored = shape.size() == 1 ? shape[0] : length;
  for (int64_t i = length; i < stored; ++i) {
    if (element_as_f32(*tensor, i) != 0) {
      report(name, fmt::format(": element {}: expected 0 behind {} values, found {}", i, length,
                               element_as_f32(*tensor, i)));
      break;
    }
  }
  return view;
}

const PackedMatrix* WeightStore::head_matrices(const HeadMatricesRequest& request) {
  const std::string key = fmt::format("{} heads' rows {}", request.name, request.first_row);
  if (const auto found = by_names_.find(key); found != by_names_.end()) {
    return found->second;
  }
  PackedMatrix& matrix = memory_.matrices.emplace_back();
  by_names_.emplace(key, &matrix);
  matrix.rows = request.heads * request.padded_outputs();
  matrix.columns = request.inputs();
  matrix.data = kNoData.data();
  const int64_t shape[] = {request.heads * request.head_rows, request.columns};
  const SourceTensor* tensor = take({.name = request.name, .rows = shape[0]}, shape);
  if (tensor != nullptr) {
    require_float(*tensor);
    matrix.format = find_weight_format(static_cast<uint32_t>(*tensor->type))->format;
    weight_bytes_ += packed_bytes(matrix.format, matrix.rows, matrix.columns);
    pending_heads_.push_back({.matrix = &matrix, .tensor = tensor, .request = request});
  }
  return &matrix;
}

void WeightStore::pack_heads(ThreadTeam& team) {
  for (const PendingHeads& pending : pending_heads_) {
    PackedMatrix& matrix = *pending.matrix;
    const int64_t bytes = packed_bytes(matrix.format, matrix.rows, matrix.columns);
    memory_.buffers.emplace_back(static_cast<size_t>(bytes) + 64, pending.request.name);
    std::byte* destination = memory_.buffers.back().data();
    pack_head_matrices(*pending.tensor, pending.request, matrix.format, destination, team);
    matrix.data = destination;
  }
  // Several matrices come from one tensor: its pages are needed to the end.
  for (const PendingHeads& pending : pending_heads_) {
    pending.tensor->drop_pages();
  }
  pending_heads_.clear();
}

TensorView WeightStore::convolution(std::span<const TensorRequest> parts, int64_t taps) {
  int64_t channels = 0;
  std::vector<const SourceTensor*> tensors;
  for (const TensorRequest& request : parts) {
    const SourceTensor* found = source_.find(request.name);
    const bool flat = found != nullptr && found->shape.size() == 2;
    const std::vector<int64_t> shape = flat ? std::vector<int64_t>{request.rows, taps}
                                            : std::vector<int64_t>{request.rows, 1, taps};
    tensors.push_back(take(request, shape));
    channels += request.rows;
  }
  if (contains_null(tensors)) {
    return no_view(taps, channels);
  }
  memory_.buffers.emplace_back(static_cast<size_t>(channels * taps) * 4 + 64, joined_names(parts));
  const TensorView view = dense_view(memory_.buffers.back().data(), DType::kF32, taps, channels);
  weight_bytes_ += channels * taps * 4;
  int64_t first_channel = 0;
  for (const SourceTensor* tensor : tensors) {
    require_float(*tensor);
    const int64_t rows = tensor->shape.front();
    for (int64_t i = 0; i < rows * taps; ++i) {
      view.row<float>(i % taps)[first_channel + i / taps] = element_as_f32(*tensor, i);
    }
    first_channel += rows;
  }
  return view;
}

bool WeightStore::same_type(std::string_view a, std::string_view b) const {
  const SourceTensor* first = source_.find(a);
  const SourceTensor* second = source_.find(b);
  return first != nullptr && second != nullptr && first->type == second->type;
}

int64_t WeightStore::stored_rows(std::string_view name) const {
  const SourceTensor* tensor = source_.find(name);
  return tensor == nullptr || tensor->shape.empty() ? 0 : tensor->shape.front();
}

void WeightStore::pack(const PendingMatrix& pending, ThreadTeam& team) {
  PackedMatrix& matrix = *pending.matrix;
  const WeightFormatInfo& info = weight_format_info(matrix.format);
  const int64_t one_panel = panel_bytes(matrix.format, matrix.columns);
  const int64_t source_row_bytes = matrix.columns / info.group_columns * info.group_bytes;
  // 64 bytes behind the end may be read by a vector load.
  memory_.buffers.emplace_back(static_cast<size_t>(matrix.panels() * one_panel) + 64,
                               pending.parts.front().request.name);
  std::byte* destination = memory_.buffers.back().data();
  // Where rows that a file stores in two tensors are put together: a panel of them for each lane.
  std::vector<std::byte> scratch(team.lanes() * kPanelRows * source_row_bytes);

  team.run([&](int lane) {
    std::byte* scratch_rows = scratch.data() + lane * kPanelRows * source_row_bytes;
    const int64_t begin = matrix.panels() * lane / team.lanes();
    const int64_t end = matrix.panels() * (lane + 1) / team.lanes();
    // The part that holds the lane's first row, then forwards.
    size_t part = 0;
    int64_t part_first_row = 0;
    for (int64_t panel = begin; panel < end; ++panel) {
      std::array<const std::byte*, kPanelRows> rows{};
      for (int64_t i = 0; i < kPanelRows && panel * kPanelRows + i < matrix.rows; ++i) {
        const int64_t row = panel * kPanelRows + i;
        while (row >= part_first_row + part_rows(pending.parts[part])) {
          part_first_row += part_rows(pending.parts[part]);
          part += 1;
        }
        const Part& from = pending.parts[part];
        if (row - part_first_row >= from.request.rows) {
          continue;  // a zero row
        }
        const int64_t first_row = from.request.slice * from.request.rows;
        rows[i] = from.tensor->stored_row(
            first_row + stored_row(from.request.order, row - part_first_row), source_row_bytes,
            scratch_rows + i * source_row_bytes);
      }
      info.pack_panel(rows, matrix.columns, destination + panel * one_panel);
    }
  });
  matrix.data = destination;
}

void WeightStore::refuse_problems() {
  for (const SourceTensor& tensor : source_.tensors()) {
    if (!used_.contains(tensor.name)) {
      report(std::string(tensor.name),
             fmt::format(" [{}]: not used by this family", fmt::join(tensor.shape, ", ")));
    }
  }
  std::vector<std::string> lines;
  for (const Problem& problem : problems_) {
    for (const std::string& names : collapse_names(problem.tensors)) {
      lines.push_back(fmt::format("tensor '{}'{}", names, problem.what));
    }
  }
  if (!lines.empty()) {
    fail(Code::kBadFile, "{}: {}", source_.label(), fmt::join(lines, "; "));
  }
}

void WeightStore::finish(ThreadTeam& team, const LoadProgress& progress) {
  refuse_problems();
  if (options_.metadata_only) {
    pending_.clear();
    pending_heads_.clear();
    return;
  }
  pack_heads(team);
  const auto part_bytes = [](const Part& part) {
    return static_cast<int64_t>(part.tensor->data.size()) /
           std::max<int64_t>(part.request.slices, 1);
  };
  int64_t total_bytes = 0;
  for (const PendingMatrix& pending : pending_) {
    for (const Part& part : pending.parts) {
      total_bytes += part_bytes(part);
    }
  }
  int64_t done_bytes = 0;
  for (const PendingMatrix& pending : pending_) {
    for (const Part& part : pending.parts) {
      if (part.request.slice == 0) {  // once for a tensor of slices
        refuse_nan_scales(*part.tensor);
      }
    }
    pack(pending, team);
    for (const Part& part : pending.parts) {
      part.tensor->drop_pages();
      done_bytes += part_bytes(part);
    }
    if (progress) {
      progress(done_bytes, total_bytes);
    }
  }
  pending_.clear();
}

}  // namespace invar
