// Implementation of the guarded buffers.
#include "conformance/memory.h"

#include <algorithm>
#include <cstring>

namespace invar::conformance {
namespace {

constexpr int64_t kGuardBytes = 256;

int64_t element_bytes(DType dtype) {
  return dtype == DType::kQ8Row ? 4 : row_bytes(dtype, 1);
}

}  // namespace

TensorView Memory::add(const TensorShape& shape) {
  const int64_t dense = row_bytes(shape.dtype, shape.columns);
  const int64_t stride = dense + shape.padding_bytes;
  const int64_t payload = shape.rows == 0 ? 0 : stride * (shape.rows - 1) + dense;
  Tensor& tensor = tensors_.emplace_back();
  tensor.bytes.assign(payload + 2 * kGuardBytes + 64, kPoison);
  // From a 64-byte boundary, one element on: kernels must not count on more.
  const auto address = reinterpret_cast<uintptr_t>(tensor.bytes.data()) + kGuardBytes;
  tensor.first = kGuardBytes + static_cast<int64_t>((64 - address % 64) % 64) +
                 element_bytes(shape.dtype) % 64;
  tensor.view = {.data = tensor.bytes.data() + tensor.first,
                 .dtype = shape.dtype,
                 .rows = shape.rows,
                 .columns = shape.columns,
                 .stride_bytes = stride};
  return tensor.view;
}

Image Memory::image() const {
  Image image;
  for (const Tensor& tensor : tensors_) {
    image.insert(image.end(), tensor.bytes.begin(), tensor.bytes.end());
  }
  return image;
}

void Memory::restore(const Image& image) {
  const std::byte* source = image.data();
  for (Tensor& tensor : tensors_) {
    std::memcpy(tensor.bytes.data(), source, tensor.bytes.size());
    source += tensor.bytes.size();
  }
}

std::string Memory::difference(const Image& left, const Image& right) const {
  int64_t begin = 0;
  int index = 0;
  for (const Tensor& tensor : tensors_) {
    const auto count = static_cast<int64_t>(tensor.bytes.size());
    const auto at =
        std::mismatch(left.begin() + begin, left.begin() + begin + count, right.begin() + begin)
            .first -
        (left.begin() + begin);
    if (at != count) {
      const int64_t offset = at - tensor.first;
      const int64_t stride = std::max<int64_t>(tensor.view.stride_bytes, 1);
      return fmt::format("tensor {} ({} [{}, {}]): row {}, byte {}", index,
                         dtype_name(tensor.view.dtype), tensor.view.rows, tensor.view.columns,
                         offset / stride, offset % stride);
    }
    begin += count;
    ++index;
  }
  return "";
}

std::string Memory::broken_guard() const {
  int index = 0;
  for (const Tensor& tensor : tensors_) {
    const TensorView& view = tensor.view;
    const int64_t dense = row_bytes(view.dtype, view.columns);
    for (int64_t i = 0; i < static_cast<int64_t>(tensor.bytes.size()); ++i) {
      const int64_t offset = i - tensor.first;
      const bool element = offset >= 0 && dense > 0 && offset / view.stride_bytes < view.rows &&
                           offset % view.stride_bytes < dense;
      if (!element && tensor.bytes[i] != kPoison) {
        return fmt::format("tensor {} ({} [{}, {}]): a byte outside its elements, at {}", index,
                           dtype_name(view.dtype), view.rows, view.columns, offset);
      }
    }
    ++index;
  }
  return "";
}

TensorView row_view(const TensorView& view, int64_t row) {
  TensorView one = view;
  one.data = view.row<std::byte>(row);
  one.rows = 1;
  return one;
}

std::vector<double> numbers(const TensorView& view) {
  std::vector<double> values;
  values.reserve(view.rows * view.columns);
  for (int64_t row = 0; row < view.rows; ++row) {
    for (int64_t column = 0; column < view.columns; ++column) {
      switch (view.dtype) {
        case DType::kF32:
          values.push_back(view.row<float>(row)[column]);
          break;
        case DType::kBF16:
          values.push_back(bf16_to_f32(view.row<uint16_t>(row)[column]));
          break;
        case DType::kF16:
          values.push_back(f16_to_f32(view.row<uint16_t>(row)[column]));
          break;
        case DType::kI32:
          values.push_back(view.row<int32_t>(row)[column]);
          break;
        default:
          INVAR_CHECK(false, "numbers of {}", dtype_name(view.dtype));
      }
    }
  }
  return values;
}

void set_number(const TensorView& view, int64_t row, int64_t column, double value) {
  switch (view.dtype) {
    case DType::kF32:
      view.row<float>(row)[column] = static_cast<float>(value);
      break;
    case DType::kBF16:
      view.row<uint16_t>(row)[column] = f32_to_bf16(static_cast<float>(value));
      break;
    case DType::kF16:
      view.row<uint16_t>(row)[column] = f32_to_f16(static_cast<float>(value));
      break;
    case DType::kI32:
      view.row<int32_t>(row)[column] = static_cast<int32_t>(value);
      break;
    default:
      INVAR_CHECK(false, "set_number of {}", dtype_name(view.dtype));
  }
}

void Filler::uniform(const TensorView& view, double low, double high) {
  for (int64_t row = 0; row < view.rows; ++row) {
    uniform_row(view, row, low, high);
  }
}

void Filler::uniform_row(const TensorView& view, int64_t row, double low, double high) {
  std::uniform_real_distribution<double> distribution(low, high);
  for (int64_t column = 0; column < view.columns; ++column) {
    set_number(view, row, column, distribution(random_));
  }
}

void set_column(const TensorView& view, std::span<const int32_t> values) {
  INVAR_CHECK(view.columns == 1 && view.rows == static_cast<int64_t>(values.size()), "{} rows",
              view.rows);
  for (int64_t row = 0; row < view.rows; ++row) {
    set_number(view, row, 0, values[row]);
  }
}

}  // namespace invar::conformance
