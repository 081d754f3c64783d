// Checks and cost of silu_mul.
#include "backend/ops/silu_mul.h"

#include <gtest/gtest.h>

#include "backend/ops/op_storage.h"

namespace invar {
namespace {

struct Example {
  OpStorage storage;
  SiluMul op{.gate = storage.view(DType::kF32, 2, 6),
             .up = storage.view(DType::kF32, 2, 6),
             .out = storage.view(DType::kBF16, 2, 6),
             .attributes = {}};
};

TEST(SiluMulOp, AcceptsBothOutputTypes) {
  Example example;
  validate(example.op);
  example.op.out = example.storage.view(DType::kF32, 2, 6);
  validate(example.op);
}

TEST(SiluMulOpDeathTest, RefusesOtherTypesAndShapes) {
  Example example;
  example.op.out.dtype = DType::kF16;
  EXPECT_DEATH(validate(example.op),
               "silu_mul: operand 'out': expected f32.bf16 .2, 6., found f16");
  Example other;
  other.op.up.rows = 1;
  EXPECT_DEATH(validate(other.op), "operand 'up': expected f32 .2, 6., found f32 .1, 6.");
}

TEST(SiluMulOp, CostCountsTheOutputType) {
  const Cost c = cost(Example().op);
  EXPECT_EQ(c.read_bytes, 2 * 12 * 4);
  EXPECT_EQ(c.write_bytes, 12 * 2);
  EXPECT_GT(c.flops, 12);
}

}  // namespace
}  // namespace invar
