// Checks and cost of head_linear.
#include "backend/ops/head_linear.h"

#include <gtest/gtest.h>

#include "backend/ops/op_storage.h"

namespace invar {
namespace {

struct Example {
  OpStorage storage;
  std::vector<std::byte> data{4096};
  PackedMatrix weight{
      .format = WeightFormat::kBF16, .rows = 3 * 32, .columns = 8, .data = data.data()};
  HeadLinear op{.x = storage.view(DType::kF32, 2, 3 * 10),
                .out = storage.view(DType::kF32, 2, 3 * 26),
                .attributes = {.weight = &weight, .heads = 3, .outputs = 24, .kept = 2}};
};

TEST(HeadLinearOp, AcceptsHeadsPaddedToPanels) {
  validate(Example().op);
}

TEST(HeadLinearOpDeathTest, RefusesSizesThatDoNotFit) {
  Example narrow;
  narrow.op.attributes.kept = 3;
  EXPECT_DEATH(validate(narrow.op),
               "operand 'x': expected 3 heads of at least 11 columns, found 30");
  Example out;
  out.op.out = out.storage.view(DType::kF32, 2, 3 * 25);
  EXPECT_DEATH(validate(out.op),
               "operand 'out': expected 3 heads of at least 26 columns, found 75");
  Example rows;
  rows.op.attributes.outputs = 40;
  EXPECT_DEATH(validate(rows.op), "a weight of 3 heads of 40 outputs, found 96 rows");
  Example quantized;
  quantized.weight.format = WeightFormat::kQ8_0;
  EXPECT_DEATH(validate(quantized.op), "a format that takes f32 rows, found Q8_0");
  Example none;
  none.op.attributes.weight = nullptr;
  EXPECT_DEATH(validate(none.op), "expected a packed weight, found none");
}

TEST(HeadLinearOp, CostCountsTheMatricesOnce) {
  const Cost c = cost(Example().op);
  EXPECT_EQ(c.read_bytes, 3 * 32 * 8 * 2 + 2 * 3 * 10 * 4);
  EXPECT_EQ(c.write_bytes, 2 * 78 * 4);
  EXPECT_EQ(c.flops, 2 * 2 * 3 * 24 * 8);
}

}  // namespace
}  // namespace invar
