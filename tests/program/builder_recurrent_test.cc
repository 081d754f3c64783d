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

}  // namespace
}  // namespace invar
