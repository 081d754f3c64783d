// Checks and cost of mul.
#include "backend/ops/mul.h"

#include <gtest/gtest.h>

#include "backend/ops/op_storage.h"

namespace invar {
namespace {

struct Example {
  OpStorage storage;
  Mul op{.a = storage.view(DType::kF32, 2, 6),
         .b = storage.view(DType::kF32, 2, 6),
         .out = storage.view(DType::kBF16, 2, 6),
         .attributes = {}};
};

TEST(MulOpDeathTest, RefusesOtherTypesAndShapes) {
  Example example;
  validate(example.op);
  example.op.out.dtype = DType::kF16;
  EXPECT_DEATH(validate(example.op), "mul: operand 'out': expected f32.bf16 .2, 6., found f16");
  Example other;
  other.op.b.columns = 5;
  EXPECT_DEATH(validate(other.op), "operand 'b': expected f32 .2, 6., found f32 .2, 5.");
}

TEST(MulOp, CostCountsTheOutputType) {
  const Cost c = cost(Example().op);
  EXPECT_EQ(c.read_bytes, 2 * 12 * 4);
  EXPECT_EQ(c.write_bytes, 12 * 2);
  EXPECT_EQ(c.flops, 12);
}

}  // namespace
}  // namespace invar
