// The kernels of all weight formats for one instruction set `Isa` (portable/linear.cc and its
// siblings, which alone include this).
#pragma once

#include "kernels/cpu/linear_dense.h"
#include "kernels/cpu/linear_mxfp4.h"
#include "kernels/cpu/linear_quantized.h"

namespace invar::cpu {

template <class Isa, class W, class X>
constexpr LinearFunction dense_kernel() {
  return &run_linear<DenseTile<typename Isa::V, W, X, Isa::kDenseRowsMax, Isa::kDensePanelsMax>>;
}

template <class Isa, class W>
constexpr LinearFunction quantized_kernel() {
  return &run_linear<QuantizedTile<Isa, W>>;
}

template <class Isa>
constexpr LinearKernels list_linear_kernels() {
  using enum WeightFormat;
  using Nibbles = typename Isa::Nibbles;
  using FiveBits = typename Isa::FiveBits;
  using Bytes = typename Isa::Bytes;
  LinearKernels kernels = {};
  const auto dense = [&kernels](WeightFormat format, LinearFunction f32, LinearFunction bf16) {
    kernels.f32[static_cast<int>(format)] = f32;
    kernels.bf16[static_cast<int>(format)] = bf16;
  };
  const auto quantized = [&kernels](WeightFormat format, LinearFunction function) {
    kernels.quantized[static_cast<int>(format)] = function;
  };
  dense(kF32, dense_kernel<Isa, float, float>(), dense_kernel<Isa, float, BF16>());
  dense(kF16, dense_kernel<Isa, F16, float>(), dense_kernel<Isa, F16, BF16>());
  dense(kBF16, dense_kernel<Isa, BF16, float>(), dense_kernel<Isa, BF16, BF16>());
  dense(kMXFP4, &run_linear<Mxfp4Tile<Isa, float>>, &run_linear<Mxfp4Tile<Isa, BF16>>);
  quantized(kQ4_0, quantized_kernel<Isa, OffsetWeights<Isa, panel::Q4_0, Nibbles>>());
  quantized(kQ4_1, quantized_kernel<Isa, MinWeights<Isa, panel::Q4_1, Nibbles>>());
  quantized(kQ5_0, quantized_kernel<Isa, OffsetWeights<Isa, panel::Q5_0, FiveBits>>());
  quantized(kQ5_1, quantized_kernel<Isa, MinWeights<Isa, panel::Q5_1, FiveBits>>());
  quantized(kQ8_0, quantized_kernel<Isa, OffsetWeights<Isa, panel::Q8_0, Bytes>>());
  quantized(kQ4_K, quantized_kernel<Isa, KWeights<Isa, panel::Q4_K, Nibbles>>());
  quantized(kQ5_K, quantized_kernel<Isa, KWeights<Isa, panel::Q5_K, FiveBits>>());
  quantized(kQ6_K, quantized_kernel<Isa, Q6_KWeights<Isa>>());
  return kernels;
}

}  // namespace invar::cpu
