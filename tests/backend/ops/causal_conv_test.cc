// Checks and cost of causal_conv.
#include "backend/ops/causal_conv.h"

#include <gtest/gtest.h>

#include "backend/ops/op_storage.h"

namespace invar {
namespace {

// Segments of 2, 0 and 1 rows.
struct Example {
  OpStorage storage;
  CausalConv op{.x = storage.view(DType::kF32, 3, 8),
                .weight = storage.view(DType::kF32, 4, 8),
                .bias = {},
                .positions = storage.indices({7, 8, 0}),
                .cu_rows = storage.indices({0, 2, 2, 3}),
                .state_pages = storage.view(DType::kI32, 3, 2),
                .row_blocks = storage.view(DType::kI32, 3, 2),
                .pages = storage.view(DType::kF32, 5, 3 * 8),
                .rows = storage.view(DType::kF32, 5, 64 * 8),
                .out = storage.view(DType::kF32, 3, 8),
                .attributes = {.taps = 4, .silu = true}};
};

TEST(CausalConvOpDeathTest, RefusesSizesThatDoNotFit) {
  Example example;
  validate(example.op);
  example.op.attributes.taps = 17;
  EXPECT_DEATH(validate(example.op), "causal_conv: expected 2 to 16 taps, found 17");
  example.op.attributes.taps = 3;
  EXPECT_DEATH(validate(example.op), "operand 'weight': expected f32 .3, 8., found f32 .4, 8.");
  Example bias;
  bias.op.bias = bias.storage.view(DType::kF32, 1, 7);
  EXPECT_DEATH(validate(bias.op), "operand 'bias': expected f32 .1, 8., found f32 .1, 7.");
}

TEST(CausalConvOp, CostCountsRowsAndTheTapsBefore) {
  const Cost c = cost(Example().op);
  EXPECT_EQ(c.read_bytes, (3 + 2 * 3 + 4) * 8 * 4);
  EXPECT_EQ(c.write_bytes, 2 * 3 * 8 * 4);
  EXPECT_EQ(c.flops, 3 * 8 * (8 + 20));
}

}  // namespace
}  // namespace invar
