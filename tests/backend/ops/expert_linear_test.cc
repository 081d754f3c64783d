// Checks and cost of expert_linear.
#include "backend/ops/expert_linear.h"

#include <gtest/gtest.h>

#include "backend/ops/op_storage.h"

namespace invar {
namespace {

alignas(64) constexpr std::byte kSomeWeight[64] = {};

// Four experts of 32 outputs, two for each of three rows.
struct Example {
  PackedMatrix weight{
      .format = WeightFormat::kQ4_1, .rows = 4 * 32, .columns = 64, .data = kSomeWeight};
  OpStorage storage;
  ExpertLinear op{.x = storage.view(DType::kQ8Row, 3, 64),
                  .ids = storage.view(DType::kI32, 3, 2),
                  .out = storage.view(DType::kF32, 6, 32),
                  .attributes = {.weight = &weight, .experts = 4}};
};

TEST(ExpertLinearOp, AcceptsARowOfXForEachRowOrForEachExpert) {
  Example example;
  validate(example.op);
  example.op.x = example.storage.view(DType::kQ8Row, 6, 64);
  validate(example.op);
  example.weight.format = WeightFormat::kBF16;
  example.op.x = example.storage.view(DType::kBF16, 6, 64);
  validate(example.op);
}

TEST(ExpertLinearOpDeathTest, RefusesOtherShapes) {
  Example example;
  example.op.x = example.storage.view(DType::kQ8Row, 2, 64);
  EXPECT_DEATH(validate(example.op), "operand 'x': expected q8 .3, 64., found q8 .2, 64.");
  Example many;
  many.op.ids = many.storage.view(DType::kI32, 3, 65);
  EXPECT_DEATH(validate(many.op), "expected 1 to 64 experts a row, found 65");
  Example out;
  out.op.out.columns = 16;
  EXPECT_DEATH(validate(out.op), "operand 'out': expected f32 .6, 32., found f32 .6, 16.");
}

TEST(ExpertLinearOpDeathTest, RefusesWeightsThatAreNone) {
  Example example;
  example.op.attributes.weight = nullptr;
  EXPECT_DEATH(validate(example.op), "expert_linear: expected a packed weight, found none");
  Example panels;
  panels.weight.rows = 4 * 24;
  EXPECT_DEATH(validate(panels.op), "expected 96 rows to be 4 experts of whole panels of 16");
  Example part;
  part.weight.columns = 48;
  EXPECT_DEATH(validate(part.op), "expected a weight of whole groups of columns, found 48");
}

TEST(ExpertLinearOp, CostCountsNoMoreExpertsThanAreChosen) {
  Example example;
  const int64_t expert_bytes = 2 * 2 * 16 * 20;  // panels, groups, rows, bytes of a group
  const int64_t x_bytes = 3 * (64 + 2 * 8);
  EXPECT_EQ(cost(example.op).read_bytes, 4 * expert_bytes + x_bytes + 6 * 4);
  EXPECT_EQ(cost(example.op).write_bytes, 6 * 32 * 4);
  EXPECT_EQ(cost(example.op).flops, 2 * 6 * 32 * 64);
  example.op.x.rows = 1;
  example.op.ids.rows = 1;
  example.op.out.rows = 2;
  EXPECT_EQ(cost(example.op).read_bytes, 2 * expert_bytes + x_bytes / 3 + 2 * 4);
}

}  // namespace
}  // namespace invar
