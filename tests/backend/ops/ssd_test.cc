// Checks and cost of ssd.
#include "backend/ops/ssd.h"

#include <gtest/gtest.h>

#include "backend/ops/op_storage.h"

namespace invar {
namespace {

// One segment of two rows, the last of which ends its chunk.
struct Example {
  OpStorage storage;
  Ssd op{.x = storage.view(DType::kF32, 2, 6 * 16),
         .b = storage.view(DType::kF32, 2, 2 * 32),
         .c = storage.view(DType::kF32, 2, 2 * 32),
         .dt = storage.view(DType::kF32, 2, 6),
         .dt_bias = storage.view(DType::kF32, 1, 6),
         .a_log = storage.view(DType::kF32, 1, 6),
         .d = storage.view(DType::kF32, 1, 6),
         .positions = storage.indices({126, 127}),
         .cu_rows = storage.indices({0, 2}),
         .state_pages = storage.view(DType::kI32, 1, 2),
         .row_blocks = storage.view(DType::kI32, 1, 2),
         .pages = storage.view(DType::kF32, 2, 6 * 16 * 32),
         .rows = storage.view(DType::kF32, 2, 64 * (2 * 32 + 6 * 17)),
         .out = storage.view(DType::kF32, 2, 6 * 16),
         .attributes = {
             .heads = 6, .head_dim = 16, .groups = 2, .state_size = 32, .dt_min = 0, .dt_max = 1}};
};

TEST(SsdOp, HeadsOfAGroupShareTheirProducts) {
  const auto together = [](int64_t heads, int64_t groups) {
    return ssd_heads_together({.heads = heads, .groups = groups});
  };
  EXPECT_EQ(together(80, 1), 4);
  EXPECT_EQ(together(6, 2), 3);
  EXPECT_EQ(together(10, 2), 1);
  EXPECT_EQ(together(2, 2), 1);
  EXPECT_EQ(together(6, 1), 3);
}

TEST(SsdOpDeathTest, RefusesSizesThatDoNotFit) {
  Example example;
  validate(example.op);
  example.op.attributes.groups = 4;
  EXPECT_DEATH(validate(example.op), "a multiple of groups, found 6 and 4");
  Example dims;
  dims.op.attributes.state_size = 24;
  EXPECT_DEATH(validate(dims.op), "multiples of 16, at most 256, found 24");
  Example skip;
  skip.op.d.columns = 5;
  EXPECT_DEATH(validate(skip.op), "operand 'd': expected f32 .1, 6., found f32 .1, 5.");
}

TEST(SsdOp, CostCountsPagesAndPendingRows) {
  Example example;
  example.op.state_pages.row<int32_t>(0)[0] = 1;
  example.op.state_pages.row<int32_t>(0)[1] = 0;
  example.op.row_blocks.row<int32_t>(0)[0] = 1;
  const Cost c = cost(example.op);
  const int64_t page = 6 * 16 * 32;
  const int64_t row = 2 * 32 + 6 * 17;
  EXPECT_EQ(c.read_bytes, (page + 62 * row + 2 * (96 + 64 + 64 + 6) + 18) * 4);
  EXPECT_EQ(c.write_bytes, (page + 2 * row + 2 * 96) * 4);
  EXPECT_EQ(c.flops, 2 * page * 2 + (2 * 62 + 3) * (64 + 96) * 2 + 64 * page * 2);
}

}  // namespace
}  // namespace invar
