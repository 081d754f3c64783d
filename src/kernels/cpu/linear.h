// Matrix products with packed weights: what one lane of the thread team computes, and the kernels
// of each instruction set, which agree bit for bit (docs/numerics.md, linear).
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/weight_format.h"

namespace invar::cpu {

// out[t, n] = sum_k x[t, k] * weight[n, k] [+ bias[n]] [+ addend[t, n]] for the outputs n of the
// panels [panel_begin, panel_end) and all rows t. Plain pointers and no inline functions, because
// the kernels' translation units must not share any code (vec_portable.h says why).
struct LinearKernel {
  const std::byte* weight = nullptr;  // the panels of a PackedMatrix
  int64_t columns = 0;                // K
  int64_t outputs = 0;                // N
  int64_t panel_begin = 0;
  int64_t panel_end = 0;

  int64_t rows = 0;
  const std::byte* x = nullptr;  // q8 rows (quantized formats), else f32 or bf16
  int64_t x_stride_bytes = 0;
  const float* bias = nullptr;        // [N], or null
  const std::byte* addend = nullptr;  // [rows, N] f32, or null; may be out
  int64_t addend_stride_bytes = 0;
  std::byte* out = nullptr;  // [rows, N] f32
  int64_t out_stride_bytes = 0;
  const int32_t* out_rows = nullptr;  // where in out each row goes; null: row t to row t
};

using LinearFunction = void (*)(const LinearKernel& args);

// By WeightFormat; null where the activations do not go with the format.
struct LinearKernels {
  LinearFunction f32[kWeightFormatCount];        // dense formats
  LinearFunction bf16[kWeightFormatCount];       // dense formats
  LinearFunction quantized[kWeightFormatCount];  // quantized formats
};

const LinearKernels& portable_linear_kernels();
const LinearKernels& avx2_linear_kernels();
const LinearKernels& avx512_linear_kernels();

}  // namespace invar::cpu
