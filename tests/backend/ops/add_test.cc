// Checks and cost of add.
#include "backend/ops/add.h"

#include <gtest/gtest.h>

#include "backend/ops/op_storage.h"

namespace invar {
namespace {

struct Example {
  OpStorage storage;
  Add op{.a = storage.view(DType::kF32, 3, 5),
         .b = storage.view(DType::kF32, 3, 5),
         .out = storage.view(DType::kF32, 3, 5),
         .attributes = {}};
};

TEST(AddOp, AcceptsEqualShapes) {
  validate(Example().op);
}

TEST(AddOpDeathTest, RefusesOtherShapes) {
  Example example;
  example.op.b.columns = 4;
  EXPECT_DEATH(validate(example.op), "add: operand 'b': expected f32 .3, 5., found f32 .3, 4.");
}

TEST(AddOp, CostCountsReadsWritesAndAdditions) {
  const Cost c = cost(Example().op);
  EXPECT_EQ(c.read_bytes, 2 * 15 * 4);
  EXPECT_EQ(c.write_bytes, 15 * 4);
  EXPECT_EQ(c.flops, 15);
}

}  // namespace
}  // namespace invar
