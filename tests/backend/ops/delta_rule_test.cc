// Checks and cost of delta_rule.
#include "backend/ops/delta_rule.h"

#include <gtest/gtest.h>

#include "backend/ops/op_storage.h"

namespace invar {
namespace {

// One segment of two rows, the last of which ends its chunk.
struct Example {
  OpStorage storage;
  DeltaRule op{.q = storage.view(DType::kF32, 2, 32),
               .k = storage.view(DType::kF32, 2, 32),
               .v = storage.view(DType::kF32, 2, 4 * 48),
               .log_decay = storage.view(DType::kF32, 2, 4),
               .beta = storage.view(DType::kF32, 2, 4),
               .positions = storage.indices({126, 127}),
               .cu_rows = storage.indices({0, 2}),
               .state_pages = storage.view(DType::kI32, 1, 2),
               .row_blocks = storage.view(DType::kI32, 1, 2),
               .pages = storage.view(DType::kF32, 2, 4 * 16 * 48),
               .rows = storage.view(DType::kF32, 2, 64 * 4 * (16 + 48 + 1)),
               .out = storage.view(DType::kF32, 2, 4 * 48),
               .attributes = {.key_heads = 2,
                              .value_heads = 4,
                              .key_dim = 16,
                              .value_dim = 48,
                              .channel_decay = false,
                              .l2_eps = 1e-6f,
                              .scale = 0.25f}};
};

TEST(DeltaRuleOpDeathTest, RefusesSizesThatDoNotFit) {
  Example example;
  validate(example.op);
  example.op.attributes.key_heads = 3;
  EXPECT_DEATH(validate(example.op), "a multiple of key heads, found 4 and 3");
  Example dims;
  dims.op.attributes.key_dim = 24;
  EXPECT_DEATH(validate(dims.op), "multiples of 16, at most 256, found 24");
  Example channels;
  channels.op.attributes.channel_decay = true;
  EXPECT_DEATH(validate(channels.op), "operand 'log_decay': expected f32 .2, 64.");
  channels.op.log_decay = channels.storage.view(DType::kF32, 2, 64);
  EXPECT_DEATH(validate(channels.op), "operand 'rows': expected f32 .2, 20480.");
}

TEST(DeltaRuleOp, CostCountsPagesAndPendingRows) {
  Example example;
  example.op.state_pages.row<int32_t>(0)[0] = 1;
  example.op.state_pages.row<int32_t>(0)[1] = 0;
  example.op.row_blocks.row<int32_t>(0)[0] = 1;
  const Cost c = cost(example.op);
  const int64_t page = 4 * 16 * 48;
  const int64_t row = 4 * (16 + 48 + 1);
  EXPECT_EQ(c.read_bytes, (page + 62 * row + 2 * (32 + 32 + 192 + 4 + 4)) * 4);
  EXPECT_EQ(c.write_bytes, (page + 2 * row + 2 * 192) * 4);
  EXPECT_EQ(c.flops, 2 * page * 4 + (2 * 62 + 3) * 4 * 64 * 4 + 64 * page * 2);
}

}  // namespace
}  // namespace invar
