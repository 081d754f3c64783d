// Checks and cost of moe_combine.
#include "backend/ops/moe_combine.h"

#include <gtest/gtest.h>

#include "backend/ops/op_storage.h"

namespace invar {
namespace {

struct Example {
  OpStorage storage;
  MoeCombine op{.y = storage.view(DType::kF32, 6, 10),
                .weights = storage.view(DType::kF32, 3, 2),
                .addend = {},
                .out = storage.view(DType::kF32, 3, 10),
                .attributes = {}};
};

TEST(MoeCombineOp, AcceptsAnAddend) {
  Example example;
  validate(example.op);
  example.op.addend = example.op.out;
  validate(example.op);
  example.op.addend = {};
  example.op.out = example.storage.view(DType::kBF16, 3, 10);
  validate(example.op);
}

TEST(MoeCombineOpDeathTest, RefusesOtherShapes) {
  Example example;
  example.op.y.rows = 3;
  EXPECT_DEATH(validate(example.op), "operand 'y': expected f32 .6, 10., found f32 .3, 10.");
  Example addend;
  addend.op.addend = addend.op.y;
  EXPECT_DEATH(validate(addend.op), "operand 'addend': expected f32 .3, 10., found f32 .6, 10.");
}

TEST(MoeCombineOp, CostCountsWhatIsThere) {
  Example example;
  EXPECT_EQ(cost(example.op).read_bytes, (60 + 6) * 4);
  EXPECT_EQ(cost(example.op).flops, 2 * 60);
  example.op.addend = example.op.out;
  EXPECT_EQ(cost(example.op).read_bytes, (60 + 6 + 30) * 4);
  EXPECT_EQ(cost(example.op).write_bytes, 30 * 4);
}

}  // namespace
}  // namespace invar
