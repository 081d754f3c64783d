// Instantiates every kernel for the AVX-512 vector type.
#include "kernels/cpu/add.h"
#include "kernels/cpu/attention.h"
#include "kernels/cpu/causal_conv.h"
#include "kernels/cpu/kv_write.h"
#include "kernels/cpu/mul.h"
#include "kernels/cpu/quantize_row.h"
#include "kernels/cpu/rms_norm.h"
#include "kernels/cpu/rope.h"
#include "kernels/cpu/sigmoid_mul.h"
#include "kernels/cpu/silu_mul.h"
#include "kernels/cpu/vec_avx512.h"

namespace invar::cpu {

const KernelTable& avx512_kernels() {
  static constexpr KernelTable kTable = {
      .isa = VecAvx512::kName,
      .add = add<VecAvx512>,
      .attention = attention<VecAvx512>,
      .causal_conv = causal_conv<VecAvx512>,
      .kv_write = kv_write<VecAvx512>,
      .linear = avx512_linear_kernels,
      .mul = mul<VecAvx512>,
      .quantize_row = quantize_row<VecAvx512>,
      .rms_norm = rms_norm<VecAvx512>,
      .rope = rope<VecAvx512>,
      .sigmoid_mul = sigmoid_mul<VecAvx512>,
      .silu_mul = silu_mul<VecAvx512>,
  };
  return kTable;
}

}  // namespace invar::cpu
