// Every op's cases, on every backend and instruction set (check_case.h says what is checked).
#include "conformance/cases/add.h"
#include "conformance/cases/attention.h"
#include "conformance/cases/causal_conv.h"
#include "conformance/cases/copy.h"
#include "conformance/cases/delta_gates.h"
#include "conformance/cases/delta_rule.h"
#include "conformance/cases/depth_mix.h"
#include "conformance/cases/embed.h"
#include "conformance/cases/expert_linear.h"
#include "conformance/cases/gated_rms_norm.h"
#include "conformance/cases/gather_rows.h"
#include "conformance/cases/head_linear.h"
#include "conformance/cases/kv_write.h"
#include "conformance/cases/linear.h"
#include "conformance/cases/moe_combine.h"
#include "conformance/cases/moe_route.h"
#include "conformance/cases/mul.h"
#include "conformance/cases/quantize_rows.h"
#include "conformance/cases/rms_norm.h"
#include "conformance/cases/rope.h"
#include "conformance/cases/sigmoid_mul.h"
#include "conformance/cases/silu_mul.h"
#include "conformance/cases/situ_mul.h"
#include "conformance/cases/ssd.h"
#include "conformance/check_case.h"
#include "conformance/recurrent_case.h"

namespace invar::conformance {
namespace {

TEST(Conformance, Add) {
  check_cases(add_cases());
}
TEST(Conformance, Attention) {
  check_cases(attention_cases());
}
TEST(Conformance, CausalConv) {
  check_recurrent_cases(causal_conv_cases());
}
TEST(Conformance, Copy) {
  check_cases(copy_cases());
}
TEST(Conformance, DeltaGates) {
  check_cases(delta_gates_cases());
}
TEST(Conformance, DeltaRule) {
  check_recurrent_cases(delta_rule_cases());
}
TEST(Conformance, DepthMix) {
  check_cases(depth_mix_cases());
}
TEST(Conformance, Embed) {
  check_cases(embed_cases());
}
TEST(Conformance, ExpertLinear) {
  check_cases(expert_linear_cases());
}
TEST(Conformance, GatedRmsNorm) {
  check_cases(gated_rms_norm_cases());
}
TEST(Conformance, GatherRows) {
  check_cases(gather_rows_cases());
}
TEST(Conformance, HeadLinear) {
  check_cases(head_linear_cases());
}
TEST(Conformance, KvWrite) {
  check_cases(kv_write_cases());
}
TEST(Conformance, Linear) {
  check_cases(linear_cases());
}
TEST(Conformance, MoeCombine) {
  check_cases(moe_combine_cases());
}
TEST(Conformance, MoeRoute) {
  check_cases(moe_route_cases());
}
TEST(Conformance, Mul) {
  check_cases(mul_cases());
}
TEST(Conformance, QuantizeRows) {
  check_cases(quantize_rows_cases());
}
TEST(Conformance, RmsNorm) {
  check_cases(rms_norm_cases());
}
TEST(Conformance, Rope) {
  check_cases(rope_cases());
}
TEST(Conformance, SigmoidMul) {
  check_cases(sigmoid_mul_cases());
}
TEST(Conformance, SituMul) {
  check_cases(situ_mul_cases());
}
TEST(Conformance, Ssd) {
  check_recurrent_cases(ssd_cases());
}
TEST(Conformance, SiluMul) {
  check_cases(silu_mul_cases());
}

}  // namespace
}  // namespace invar::conformance
