// Instantiates every kernel for the AVX-512 vector type.
#include "kernels/cpu/add.h"
#include "kernels/cpu/attention.h"
#include "kernels/cpu/causal_conv.h"
#include "kernels/cpu/delta_gates.h"
#include "kernels/cpu/delta_rule.h"
#include "kernels/cpu/depth_mix.h"
#include "kernels/cpu/gated_rms_norm.h"
#include "kernels/cpu/kv_write.h"
#include "kernels/cpu/moe_combine.h"
#include "kernels/cpu/moe_scores.h"
#include "kernels/cpu/mul.h"
#include "kernels/cpu/quantize_row.h"
#include "kernels/cpu/rms_norm.h"
#include "kernels/cpu/rope.h"
#include "kernels/cpu/sigmoid_mul.h"
#include "kernels/cpu/silu_mul.h"
#include "kernels/cpu/situ_mul.h"
#include "kernels/cpu/ssd.h"
#include "kernels/cpu/vec_avx512.h"

namespace invar::cpu {

const KernelTable& avx512_kernels() {
  static constexpr KernelTable kTable = {
      .isa = VecAvx512::kName,
      .add = add<VecAvx512>,
      .attention = attention<VecAvx512>,
      .causal_conv = causal_conv<VecAvx512>,
      .delta_gates = delta_gates<VecAvx512>,
      .delta_rule = delta_rule<VecAvx512>,
      .depth_mix = depth_mix<VecAvx512>,
      .gated_rms_norm = gated_rms_norm<VecAvx512>,
      .kv_write = kv_write<VecAvx512>,
      .linear = avx512_linear_kernels,
      .moe_combine = moe_combine<VecAvx512>,
      .moe_scores = moe_scores<VecAvx512>,
      .mul = mul<VecAvx512>,
      .quantize_row = quantize_row<VecAvx512>,
      .rms_norm = rms_norm<VecAvx512>,
      .rope = rope<VecAvx512>,
      .sigmoid_mul = sigmoid_mul<VecAvx512>,
      .silu_mul = silu_mul<VecAvx512>,
      .situ_mul = situ_mul<VecAvx512>,
      .ssd = ssd<VecAvx512>,
  };
  return kTable;
}

}  // namespace invar::cpu
