// bench_ops: one line an op.
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
#include "kernels/cpu/cpu_features.h"
#include "ops/op_bench.h"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  benchmark::AddCustomContext("processor", invar::cpu::processor_name());
  invar::bench::register_op(invar::conformance::add_bench_cases());
  invar::bench::register_op(invar::conformance::attention_bench_cases());
  invar::bench::register_op(invar::conformance::causal_conv_bench_cases());
  invar::bench::register_op(invar::conformance::copy_bench_cases());
  invar::bench::register_op(invar::conformance::delta_gates_bench_cases());
  invar::bench::register_op(invar::conformance::delta_rule_bench_cases());
  invar::bench::register_op(invar::conformance::depth_mix_bench_cases());
  invar::bench::register_op(invar::conformance::embed_bench_cases());
  invar::bench::register_op(invar::conformance::expert_linear_bench_cases());
  invar::bench::register_op(invar::conformance::gated_rms_norm_bench_cases());
  invar::bench::register_op(invar::conformance::gather_rows_bench_cases());
  invar::bench::register_op(invar::conformance::head_linear_bench_cases());
  invar::bench::register_op(invar::conformance::kv_write_bench_cases());
  invar::bench::register_op(invar::conformance::linear_bench_cases());
  invar::bench::register_op(invar::conformance::moe_combine_bench_cases());
  invar::bench::register_op(invar::conformance::moe_route_bench_cases());
  invar::bench::register_op(invar::conformance::mul_bench_cases());
  invar::bench::register_op(invar::conformance::quantize_rows_bench_cases());
  invar::bench::register_op(invar::conformance::rms_norm_bench_cases());
  invar::bench::register_op(invar::conformance::rope_bench_cases());
  invar::bench::register_op(invar::conformance::sigmoid_mul_bench_cases());
  invar::bench::register_op(invar::conformance::situ_mul_bench_cases());
  invar::bench::register_op(invar::conformance::silu_mul_bench_cases());
  invar::bench::register_op(invar::conformance::ssd_bench_cases());
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
