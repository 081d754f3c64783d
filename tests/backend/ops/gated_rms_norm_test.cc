// Checks and cost of gated_rms_norm.
#include "backend/ops/gated_rms_norm.h"

#include <gtest/gtest.h>

#include "backend/ops/op_storage.h"

namespace invar {
namespace {

struct Example {
  OpStorage storage;
  GatedRmsNorm op{.x = storage.view(DType::kF32, 2, 6),
                  .gate = storage.view(DType::kF32, 2, 6),
                  .weight = storage.view(DType::kF32, 1, 3),
                  .out = storage.view(DType::kBF16, 2, 6),
                  .attributes = {.dim = 3, .eps = 1e-5f, .gate_first = false, .silu = true}};
};

TEST(GatedRmsNormOp, AcceptsAWeightOfAGroupOrOfAll) {
  Example example;
  validate(example.op);
  example.op.weight = example.storage.view(DType::kF32, 1, 6);
  validate(example.op);
}

TEST(GatedRmsNormOpDeathTest, RefusesOtherShapes) {
  Example example;
  example.op.weight.columns = 2;
  EXPECT_DEATH(validate(example.op), "operand 'weight': expected f32 .1, 6., found f32 .1, 2.");
  Example groups;
  groups.op.attributes.dim = 4;
  EXPECT_DEATH(validate(groups.op), "columns that are a multiple of 4, found 6");
}

TEST(GatedRmsNormOp, CostCountsTheOutputType) {
  const Cost c = cost(Example().op);
  EXPECT_EQ(c.read_bytes, 2 * 12 * 4 + 3 * 4);
  EXPECT_EQ(c.write_bytes, 12 * 2);
}

}  // namespace
}  // namespace invar
