// Checks and cost of situ_mul.
#include "backend/ops/situ_mul.h"

#include <gtest/gtest.h>

#include "backend/ops/op_storage.h"

namespace invar {
namespace {

struct Example {
  OpStorage storage;
  SituMul op{.gate = storage.view(DType::kF32, 2, 6),
             .up = storage.view(DType::kF32, 2, 6),
             .out = storage.view(DType::kBF16, 2, 6),
             .attributes = {.beta = 4, .linear_beta = 0}};
};

TEST(SituMulOpDeathTest, RefusesOtherShapesAndBounds) {
  Example example;
  validate(example.op);
  example.op.up.rows = 1;
  EXPECT_DEATH(validate(example.op), "operand 'up': expected f32 .2, 6., found f32 .1, 6.");
  Example bound;
  bound.op.attributes.beta = 0;
  EXPECT_DEATH(validate(bound.op), "situ_mul: expected a positive beta");
}

TEST(SituMulOp, CostCountsTheOutputType) {
  const Cost c = cost(Example().op);
  EXPECT_EQ(c.read_bytes, 2 * 12 * 4);
  EXPECT_EQ(c.write_bytes, 12 * 2);
  EXPECT_GT(c.flops, 12);
}

}  // namespace
}  // namespace invar
