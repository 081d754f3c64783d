// Views for tests of validate and cost, which look at shapes and at index tables only.
#pragma once

#include <vector>

#include "core/tensor_view.h"

namespace invar {

// Owns what its views point to.
class OpStorage {
 public:
  TensorView view(DType dtype, int64_t rows, int64_t columns) {
    auto& bytes = buffers_.emplace_back(rows * row_bytes(dtype, columns) + 64);
    const auto address = reinterpret_cast<uintptr_t>(bytes.data());
    return dense_view(bytes.data() + (64 - address % 64) % 64, dtype, rows, columns);
  }
  TensorView indices(const std::vector<int32_t>& values) {
    const TensorView column = view(DType::kI32, static_cast<int64_t>(values.size()), 1);
    for (int64_t i = 0; i < column.rows; ++i) {
      *column.row<int32_t>(i) = values[i];
    }
    return column;
  }

 private:
  std::vector<std::vector<std::byte>> buffers_;
};

}  // namespace invar
