// Checks and cost of delta_gates.
#include "backend/ops/delta_gates.h"

#include <gtest/gtest.h>

#include "backend/ops/op_storage.h"

namespace invar {
namespace {

struct Example {
  OpStorage storage;
  DeltaGates op{.a = storage.view(DType::kF32, 2, 6),
                .b = storage.view(DType::kF32, 2, 3),
                .a_log = storage.view(DType::kF32, 1, 3),
                .dt_bias = storage.view(DType::kF32, 1, 6),
                .log_decay = storage.view(DType::kF32, 2, 6),
                .beta = storage.view(DType::kF32, 2, 3),
                .attributes = {.heads = 3, .bounded = false, .lower_bound = 0}};
};

TEST(DeltaGatesOpDeathTest, RefusesSizesThatDoNotFit) {
  Example example;
  validate(example.op);
  example.op.attributes.heads = 4;
  EXPECT_DEATH(validate(example.op), "a multiple of 4 heads, found 6");
  Example bias;
  bias.op.dt_bias.columns = 3;
  EXPECT_DEATH(validate(bias.op), "operand 'dt_bias': expected f32 .1, 6., found f32 .1, 3.");
}

TEST(DeltaGatesOp, CostCountsBothOutputs) {
  const Cost c = cost(Example().op);
  EXPECT_EQ(c.read_bytes, (2 * 9 + 9) * 4);
  EXPECT_EQ(c.write_bytes, 2 * 9 * 4);
  EXPECT_GT(c.flops, 18);
}

}  // namespace
}  // namespace invar
