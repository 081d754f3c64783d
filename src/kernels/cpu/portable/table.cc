// Instantiates every kernel for the portable vector type.
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
#include "kernels/cpu/vec_portable.h"

namespace invar::cpu {

const KernelTable& portable_kernels() {
  static constexpr KernelTable kTable = {
      .isa = VecPortable::kName,
      .add = add<VecPortable>,
      .attention = attention<VecPortable>,
      .causal_conv = causal_conv<VecPortable>,
      .kv_write = kv_write<VecPortable>,
      .linear = portable_linear_kernels,
      .mul = mul<VecPortable>,
      .quantize_row = quantize_row<VecPortable>,
      .rms_norm = rms_norm<VecPortable>,
      .rope = rope<VecPortable>,
      .sigmoid_mul = sigmoid_mul<VecPortable>,
      .silu_mul = silu_mul<VecPortable>,
  };
  return kTable;
}

}  // namespace invar::cpu
