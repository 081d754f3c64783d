// Checks and cost of attention.
#include "backend/ops/attention.h"

#include <gtest/gtest.h>

#include "backend/ops/op_storage.h"

namespace invar {
namespace {

struct Example {
  OpStorage storage;
  Attention op{
      .q = storage.view(DType::kF32, 3, 64),
      .positions = storage.indices({7, 8, 0}),
      .cu_rows = storage.indices({0, 2, 2, 3}),
      .block_table = storage.view(DType::kI32, 3, 1),
      .k_cache = storage.view(DType::kF16, 4, 32 * 64),
      .v_cache = storage.view(DType::kF16, 4, 32 * 64),
      .out = storage.view(DType::kF32, 3, 64),
      .attributes = {.heads = 4, .kv_heads = 2, .head_dim = 16, .value_dim = 16, .scale = 0.25f}};
};

TEST(AttentionOp, AcceptsGroupedHeads) {
  validate(Example().op);
}

// Latent rows: no v_cache, and values narrower than keys.
struct LatentExample : Example {
  LatentExample() {
    op.v_cache = {};
    op.q = storage.view(DType::kF32, 3, 4 * 32);
    op.k_cache = storage.view(DType::kF16, 4, 32 * 64);
    op.attributes = {.heads = 4, .kv_heads = 1, .head_dim = 32, .value_dim = 16, .scale = 0.25f};
  }
};

TEST(AttentionOp, AcceptsLatentRows) {
  validate(LatentExample().op);
  EXPECT_EQ(cost(LatentExample().op).read_bytes, 3 * 128 * 4 + (9 + 1) * 32 * 2);
  EXPECT_EQ(cost(LatentExample().op).flops, (8 + 9 + 1) * 4 * (32 + 16) * 2);
}

TEST(AttentionOpDeathTest, RefusesValuesThatDoNotGoWithTheKeys) {
  LatentExample latent;
  latent.op.attributes.value_dim = 48;
  EXPECT_DEATH(validate(latent.op), "value_dim that goes with head_dim 32, found 48");
  latent.op.attributes.value_dim = 8;
  EXPECT_DEATH(validate(latent.op), "value_dim that goes with head_dim 32, found 8");
  latent.op.attributes.head_dim = 656;
  EXPECT_DEATH(validate(latent.op), "head_dim that is a multiple of 16, at most 640, found 656");
  Example grouped;
  grouped.op.attributes.head_dim = 32;
  EXPECT_DEATH(validate(grouped.op), "value_dim that goes with head_dim 32, found 16");
}

TEST(AttentionOpDeathTest, RefusesSizesThatDoNotFit) {
  Example example;
  example.op.attributes.kv_heads = 3;
  EXPECT_DEATH(validate(example.op), "attention: expected heads that are a multiple of 3, found 4");
  example.op.attributes.kv_heads = 0;
  EXPECT_DEATH(validate(example.op), "kv_heads of at least 1, found 0");
  Example wide;
  wide.op.attributes.head_dim = 272;
  EXPECT_DEATH(validate(wide.op), "head_dim that is a multiple of 16, at most 256, found 272");
  Example tables;
  tables.op.block_table.rows = 2;
  EXPECT_DEATH(validate(tables.op), "operand 'block_table': expected i32 .3, 1., found i32 .2, 1.");
  Example none;
  none.op.cu_rows.rows = 0;
  EXPECT_DEATH(validate(none.op), "cu_rows of at least 1 row, found 0");
}

TEST(AttentionOp, CostFollowsPositions) {
  const Cost c = cost(Example().op);
  // Segments of 9, 0 and 1 keys; a position's keys and values are 2 * 32 * 2 bytes.
  EXPECT_EQ(c.read_bytes, 3 * 64 * 4 + (9 + 1) * 2 * 32 * 2);
  EXPECT_EQ(c.write_bytes, 3 * 64 * 4);
  EXPECT_EQ(c.flops, (8 + 9 + 1) * 4 * 16 * 4);
}

}  // namespace
}  // namespace invar
