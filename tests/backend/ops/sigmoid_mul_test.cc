// Checks and cost of sigmoid_mul.
#include "backend/ops/sigmoid_mul.h"

#include <gtest/gtest.h>

#include "backend/ops/op_storage.h"

namespace invar {
namespace {

struct Example {
  OpStorage storage;
  SigmoidMul op{.x = storage.view(DType::kF32, 2, 6),
                .gate = storage.view(DType::kF32, 2, 1),
                .addend = {},
                .out = storage.view(DType::kF32, 2, 6),
                .attributes = {}};
};

TEST(SigmoidMulOp, AcceptsAGateARowOrAnElement) {
  Example example;
  validate(example.op);
  example.op.gate = example.storage.view(DType::kF32, 2, 6);
  example.op.addend = example.op.out;
  validate(example.op);
}

TEST(SigmoidMulOpDeathTest, RefusesOtherShapes) {
  Example example;
  example.op.gate.columns = 2;
  EXPECT_DEATH(validate(example.op), "operand 'gate': expected f32 .2, 6., found f32 .2, 2.");
  Example addend;
  addend.op.addend = addend.op.gate;
  EXPECT_DEATH(validate(addend.op), "operand 'addend': expected f32 .2, 6., found f32 .2, 1.");
}

TEST(SigmoidMulOp, CostCountsWhatIsThere) {
  Example example;
  EXPECT_EQ(cost(example.op).read_bytes, (12 + 2) * 4);
  example.op.addend = example.op.out;
  EXPECT_EQ(cost(example.op).read_bytes, (24 + 2) * 4);
  EXPECT_EQ(cost(example.op).write_bytes, 12 * 4);
}

}  // namespace
}  // namespace invar
