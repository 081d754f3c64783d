// What the builder's methods for recurrent layers emit, and what they refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program/builder.h"

namespace invar {
namespace {

using testing::ElementsAre;

template <template <class> class Args>
const Args<Operand>& args_of(const Program& program, int node) {
  return dynamic_cast<const OpNode<Args>&>(*program.nodes.at(node)).args;
}

class BuilderRecurrentTest : public testing::Test {
 protected:
  BuilderRecurrentTest() {
    matrix_.format = WeightFormat::kF32;
    matrix_.rows = 32;
    matrix_.columns = 32;
  }

  LinearWeights weights(const std::string& name) const {
    return {.name = name, .matrix = &matrix_, .bias = {}};
  }
  TensorView constant(int64_t rows, int64_t columns) {
    return dense_view(numbers_.data(), DType::kF32, rows, columns);
  }
  Program finish(Builder& b, Value x) {
    return b.finish(b.linear(b.gather_logit_rows(x), weights("head")));
  }

  PackedMatrix matrix_;
  std::vector<float> numbers_ = std::vector<float>(4096);
};

TEST_F(BuilderRecurrentTest, ConvolvesWithItsState) {
  Builder b({});
  const Value x = b.embed(weights("table"));
  b.set_layer(1);
  const RecurrentState state = b.recurrent_state("conv", 2 * 32, 32);
  const ConvWeights conv{.name = "conv", .weight = constant(3, 32), .bias = constant(1, 32)};
  b.causal_conv(x, conv, state, {.silu = true});
  const RecurrentState wrong = b.recurrent_state("conv", 3 * 32, 32);
  EXPECT_DEATH(b.causal_conv(x, conv, wrong, {}), "conv: a state of 96 and 32 columns for 3 taps");
  const Program program = finish(b, x);
  const CausalConvArgs<Operand>& args = args_of<CausalConvArgs>(program, 1);
  EXPECT_EQ(args.attributes.taps, 3);
  EXPECT_TRUE(args.attributes.silu);
  EXPECT_EQ(args.pages.kind, OperandKind::kState);
  EXPECT_EQ(args.pages.index, state.pages_buffer);
  EXPECT_EQ(args.rows.index, state.rows_buffer);
  EXPECT_EQ(args.rows.columns, 64 * 32);
  EXPECT_EQ(args.state_pages.index, static_cast<int32_t>(PassTable::kStatePages));
  EXPECT_EQ(args.row_blocks.index, static_cast<int32_t>(PassTable::kRowBlocks));
  EXPECT_EQ(args.bias.kind, OperandKind::kConstant);
}

TEST_F(BuilderRecurrentTest, ProductsAreRoundedForDenseConsumers) {
  Builder b({.activation_dtype = DType::kBF16, .kv_dtype = DType::kF32});
  const Value x = b.embed(weights("table"));
  const Value product = b.mul(x, x, {});
  const Value rounded = b.mul(x, x, {.rounded = true});
  const Value gated = b.sigmoid_mul(x, x, {.addend = x, .rounded = true});
  const int64_t widths[] = {1, 31};
  const Value one = b.split(x, widths)[0];
  b.sigmoid_mul(x, one, {});
  EXPECT_DEATH(b.mul(x, one, {}), "columns");
  EXPECT_DEATH(b.sigmoid_mul(one, x, {}), "columns");
  EXPECT_DEATH(b.sigmoid_mul(x, x, {.addend = one}), "addend");
  EXPECT_DEATH(b.mul(rounded, rounded, {}), "kF32");
  const Program program = finish(b, x);
  EXPECT_EQ(program.values[product.id].dtype, DType::kF32);
  EXPECT_EQ(program.values[rounded.id].dtype, DType::kBF16);
  EXPECT_EQ(program.values[gated.id].dtype, DType::kBF16);
  EXPECT_EQ(args_of<SigmoidMulArgs>(program, 3).addend.index, x.id);
  EXPECT_EQ(args_of<SigmoidMulArgs>(program, 4).gate.columns, 1);
}

TEST_F(BuilderRecurrentTest, DeltaRuleTakesItsGates) {
  Builder b({.activation_dtype = DType::kBF16, .kv_dtype = DType::kF32});
  const Value x = b.embed(weights("table"));
  const DeltaRuleAttributes attributes{
      .key_heads = 1, .value_heads = 2, .key_dim = 16, .value_dim = 16, .scale = 0.25f};
  const int64_t widths[] = {16, 16};
  const std::vector<Value> halves = b.split(x, widths);
  const int64_t twos[] = {2, 2, 12};
  const std::vector<Value> gates_of = b.split(halves[0], twos);
  const DeltaGateWeights gate_weights{
      .name = "gates", .a_log = constant(1, 2), .dt_bias = constant(1, 2)};
  const Builder::DeltaGates gates =
      b.delta_gates(gates_of[0], gates_of[1], gate_weights, {.heads = 2});
  EXPECT_DEATH(b.delta_gates(gates_of[0], gates_of[1], gate_weights, {.heads = 1}),
               "gates: 2 and 2 columns for 1 heads");
  const RecurrentState state = b.recurrent_state("delta", delta_rule_page_columns(attributes),
                                                 delta_rule_row_columns(attributes));
  const Builder::DeltaRuleInputs inputs{.q = halves[0], .k = halves[1], .v = x, .gates = gates};
  const Value o = b.delta_rule(inputs, state, attributes);
  EXPECT_DEATH(b.delta_rule({.q = x, .k = x, .v = x, .gates = gates}, state, attributes),
               "columns");
  EXPECT_DEATH(b.delta_rule(inputs, b.recurrent_state("delta", 1, 1), attributes),
               "a state of 1 and 1 columns");
  const NormWeights norm{.name = "norm", .weight = constant(1, 16), .eps = 1e-6f};
  const Value y = b.gated_rms_norm(o, x, norm, {.dim = 16, .silu = true});
  EXPECT_DEATH(b.gated_rms_norm(o, x, norm, {.dim = 8}), "groups of 8 in 32 columns");
  const Program program = finish(b, x);
  EXPECT_EQ(args_of<DeltaRuleArgs>(program, 2).log_decay.index, gates.log_decay.id);
  EXPECT_EQ(args_of<DeltaRuleArgs>(program, 2).pages.columns, 2 * 16 * 16);
  EXPECT_EQ(args_of<DeltaRuleArgs>(program, 2).rows.columns, 64 * 2 * 33);
  EXPECT_EQ(program.values[o.id].dtype, DType::kF32);
  EXPECT_EQ(program.values[y.id].dtype, DType::kBF16);
  EXPECT_EQ(args_of<GatedRmsNormArgs>(program, 3).attributes.dim, 16);
}

TEST_F(BuilderRecurrentTest, SsdTakesItsParameters) {
  Builder b({});
  const Value x = b.embed(weights("table"));
  const SsdAttributes attributes{
      .heads = 2, .head_dim = 16, .groups = 1, .state_size = 16, .dt_min = 0, .dt_max = 1};
  const int64_t widths[] = {16, 16};
  const std::vector<Value> halves = b.split(x, widths);
  const int64_t twos[] = {2, 14};
  const Value dt = b.split(halves[0], twos)[0];
  const SsdWeights ssd{
      .name = "ssd", .dt_bias = constant(1, 2), .a_log = constant(1, 2), .d = constant(1, 2)};
  const RecurrentState state =
      b.recurrent_state("ssd", ssd_page_columns(attributes), ssd_row_columns(attributes));
  const Builder::SsdInputs inputs{.x = x, .b = halves[0], .c = halves[1], .dt = dt};
  b.ssd(inputs, ssd, state, attributes);
  EXPECT_DEATH(b.ssd({.x = x, .b = x, .c = x, .dt = dt}, ssd, state, attributes), "columns");
  EXPECT_DEATH(b.ssd(inputs, ssd, b.recurrent_state("ssd", 2, 3), attributes),
               "ssd: a state of 2 and 3 columns");
  const Program program = finish(b, x);
  const SsdArgs<Operand>& args = args_of<SsdArgs>(program, 1);
  EXPECT_EQ(args.pages.columns, 2 * 16 * 16);
  EXPECT_EQ(args.rows.columns, 64 * (16 + 2 * 17));
  EXPECT_EQ(args.dt.columns, 2);
  EXPECT_EQ(program.constants.size(), 3u);
}

TEST_F(BuilderRecurrentTest, DepthMixReadsTheBanksInUse) {
  Builder b({.activation_dtype = DType::kBF16, .kv_dtype = DType::kF32});
  const Value banks = b.embed(weights("table"));
  const int64_t widths[] = {16, 16};
  const Value running = b.split(banks, widths)[1];
  const NormWeights norm{.name = "norm", .weight = constant(1, 16), .eps = 1e-6f};
  b.depth_mix({.banks = banks, .running = running}, norm, constant(1, 16), 2);
  b.depth_mix({.banks = {}, .running = running}, norm, constant(1, 16), 0);
  EXPECT_DEATH(b.depth_mix({.banks = banks, .running = running}, norm, constant(1, 16), 3),
               "norm: 3 banks of 16 in 32 columns");
  EXPECT_DEATH(b.depth_mix({.banks = {}, .running = banks}, norm, constant(1, 16), 0), "width");
  const Value y = b.situ_mul(running, running, {.beta = 4, .linear_beta = 25});
  EXPECT_DEATH(b.situ_mul(running, banks, {.beta = 4, .linear_beta = 25}), "columns");
  const Program program = finish(b, banks);
  EXPECT_EQ(args_of<DepthMixArgs>(program, 1).attributes.banks_used, 2);
  EXPECT_FALSE(args_of<DepthMixArgs>(program, 2).banks);
  EXPECT_EQ(program.values[y.id].dtype, DType::kBF16);
}

}  // namespace
}  // namespace invar
