// Rows of activations, of any dtype that a matrix product takes, as numbers.
#pragma once

#include <vector>

#include "core/tensor_view.h"

namespace invar {

// Row t of x as numbers.
inline std::vector<double> unpack_activations(const TensorView& x, int64_t t) {
  std::vector<double> values(static_cast<size_t>(x.columns));
  for (int64_t k = 0; k < x.columns; ++k) {
    if (x.dtype == DType::kF32) {
      values[k] = x.row<float>(t)[k];
    } else if (x.dtype == DType::kBF16) {
      values[k] = bf16_to_f32(x.row<uint16_t>(t)[k]);
    } else {
      const auto* scales = reinterpret_cast<const float*>(x.row<int8_t>(t) + x.columns);
      values[k] = static_cast<double>(x.row<int8_t>(t)[k]) * scales[k / 32];
    }
  }
  return values;
}

}  // namespace invar
