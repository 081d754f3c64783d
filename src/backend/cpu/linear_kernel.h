// The matrix product's kernel for a weight format and the dtype of the rows.
#pragma once

#include "core/dtype.h"
#include "kernels/cpu/linear.h"

namespace invar {

inline cpu::LinearFunction linear_kernel(const cpu::LinearKernels& kernels, WeightFormat format,
                                         DType x) {
  const auto index = static_cast<size_t>(format);
  switch (x) {
    case DType::kF32:
      return kernels.f32[index];
    case DType::kBF16:
      return kernels.bf16[index];
    default:
      return kernels.quantized[index];
  }
}

}  // namespace invar
