// Reads and writes one element of a float tensor as a number, whatever its dtype.
#pragma once

#include "core/tensor_view.h"

namespace invar {

inline double load_scalar(const TensorView& view, int64_t row, int64_t column) {
  switch (view.dtype) {
    case DType::kF32:
      return view.row<float>(row)[column];
    case DType::kBF16:
      return bf16_to_f32(view.row<uint16_t>(row)[column]);
    case DType::kF16:
      return f16_to_f32(view.row<uint16_t>(row)[column]);
    default:
      check_failed("dtype is a float", std::string(dtype_name(view.dtype)),
                   std::source_location::current());
  }
}

// Rounds to f32, then to the dtype, each to nearest even.
inline void store_scalar(const TensorView& view, int64_t row, int64_t column, double value) {
  const auto rounded = static_cast<float>(value);
  switch (view.dtype) {
    case DType::kF32:
      view.row<float>(row)[column] = rounded;
      return;
    case DType::kBF16:
      view.row<uint16_t>(row)[column] = f32_to_bf16(rounded);
      return;
    case DType::kF16:
      view.row<uint16_t>(row)[column] = f32_to_f16(rounded);
      return;
    default:
      check_failed("dtype is a float", std::string(dtype_name(view.dtype)),
                   std::source_location::current());
  }
}

}  // namespace invar
