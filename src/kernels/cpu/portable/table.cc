// Instantiates every kernel for the portable vector type.
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
#include "kernels/cpu/vec_portable.h"

namespace invar::cpu {

const KernelTable& portable_kernels() {
  static constexpr KernelTable kTable = {
      .isa = VecPortable::kName,
      .add = add<VecPortable>,
      .attention = attention<VecPortable>,
      .causal_conv = causal_conv<VecPortable>,
      .delta_gates = delta_gates<VecPortable>,
      .delta_rule = delta_rule<VecPortable>,
      .depth_mix = depth_mix<VecPortable>,
      .gated_rms_norm = gated_rms_norm<VecPortable>,
      .kv_write = kv_write<VecPortable>,
      .linear = portable_linear_kernels,
      .moe_combine = moe_combine<VecPortable>,
      .moe_scores = moe_scores<VecPortable>,
      .mul = mul<VecPortable>,
      .quantize_row = quantize_row<VecPortable>,
      .rms_norm = rms_norm<VecPortable>,
      .rope = rope<VecPortable>,
      .sigmoid_mul = sigmoid_mul<VecPortable>,
      .silu_mul = silu_mul<VecPortable>,
      .situ_mul = situ_mul<VecPortable>,
      .ssd = ssd<VecPortable>,
  };
  return kTable;
}

}  // namespace invar::cpu
