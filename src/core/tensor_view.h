// A non-owning view of a two-dimensional, row-major tensor: what ops receive.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/dtype.h"
#include "core/error.h"

namespace invar {

// Cheap to copy. The memory belongs to whoever made the view and must outlive it. A default view
// (data == nullptr) stands for an absent optional argument.
struct TensorView {
  void* data = nullptr;
  DType dtype = DType::kF32;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t stride_bytes = 0;  // from one row to the next

  explicit operator bool() const { return data != nullptr; }

  template <class T>
  T* row(int64_t index) const {
    return reinterpret_cast<T*>(static_cast<std::byte*>(data) + index * stride_bytes);
  }
};

// A view of `rows` x `columns` densely stored elements.
inline TensorView dense_view(void* data, DType dtype, int64_t rows, int64_t columns) {
  return {data, dtype, rows, columns, row_bytes(dtype, columns)};
}

}  // namespace invar
