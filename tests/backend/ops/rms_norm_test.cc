// Checks and cost of rms_norm.
#include "backend/ops/rms_norm.h"

#include <gtest/gtest.h>

#include "backend/ops/op_storage.h"

namespace invar {
namespace {

struct Example {
  OpStorage storage;
  RmsNorm op{.x = storage.view(DType::kF32, 2, 24),
             .weight = storage.view(DType::kF32, 1, 8),
             .out = storage.view(DType::kF32, 2, 24),
             .attributes = {.eps = 1e-5f}};
};

TEST(RmsNormOp, AcceptsGroups) {
  validate(Example().op);
}

TEST(RmsNormOpDeathTest, RefusesColumnsThatAreNoGroups) {
  Example example;
  example.op.weight = example.storage.view(DType::kF32, 1, 7);
  EXPECT_DEATH(validate(example.op),
               "rms_norm: expected columns that are a multiple of 7, found 24");
  example.op.weight = example.storage.view(DType::kF32, 1, 0);
  EXPECT_DEATH(validate(example.op), "rms_norm: expected weight of at least 1 column, found 0");
}

TEST(RmsNormOpDeathTest, RefusesOtherShapes) {
  Example example;
  example.op.x.columns = 16;
  EXPECT_DEATH(validate(example.op), "operand 'x': expected f32 .2, 24., found f32 .2, 16.");
}

TEST(RmsNormOp, CostReadsTheWeightOnce) {
  const Cost c = cost(Example().op);
  EXPECT_EQ(c.read_bytes, 48 * 4 + 8 * 4);
  EXPECT_EQ(c.write_bytes, 48 * 4);
}

}  // namespace
}  // namespace invar
