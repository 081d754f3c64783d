// Instantiates every kernel for the AVX2 vector type.
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
#include "kernels/cpu/vec_avx2.h"

namespace invar::cpu {

const KernelTable& avx2_kernels() {
  static constexpr KernelTable kTable = {
      .isa = VecAvx2::kName,
      .add = add<VecAvx2>,
      .attention = attention<VecAvx2>,
      .causal_conv = causal_conv<VecAvx2>,
      .delta_gates = delta_gates<VecAvx2>,
      .delta_rule = delta_rule<VecAvx2>,
      .depth_mix = depth_mix<VecAvx2>,
      .gated_rms_norm = gated_rms_norm<VecAvx2>,
      .kv_write = kv_write<VecAvx2>,
      .linear = avx2_linear_kernels,
      .moe_combine = moe_combine<VecAvx2>,
      .moe_scores = moe_scores<VecAvx2>,
      .mul = mul<VecAvx2>,
      .quantize_row = quantize_row<VecAvx2>,
      .rms_norm = rms_norm<VecAvx2>,
      .rope = rope<VecAvx2>,
      .sigmoid_mul = sigmoid_mul<VecAvx2>,
      .silu_mul = silu_mul<VecAvx2>,
      .situ_mul = situ_mul<VecAvx2>,
      .ssd = ssd<VecAvx2>,
  };
  return kTable;
}

}  // namespace invar::cpu
