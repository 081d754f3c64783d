// Checks and cost of kv_write.
#include "backend/ops/kv_write.h"

#include <gtest/gtest.h>

#include "backend/ops/op_storage.h"
#include "backend/registry.h"

namespace invar {
namespace {

struct Example {
  OpStorage storage;
  KvWrite op{.k = storage.view(DType::kF32, 2, 32),
             .v = storage.view(DType::kF32, 2, 32),
             .positions = storage.indices({0, 64}),
             .row_segment = storage.indices({0, 0}),
             .block_table = storage.view(DType::kI32, 1, 2),
             .write_from = {},
             .k_cache = storage.view(DType::kBF16, 3, 32 * 64),
             .v_cache = storage.view(DType::kBF16, 3, 32 * 64),
             .attributes = {.kv_heads = 2, .head_dim = 16}};
};

TEST(KvWriteOp, AcceptsACache) {
  validate(Example().op);
  Example borders;
  borders.op.write_from = borders.storage.indices({64});
  validate(borders.op);
  Example latent;
  latent.op.v = {};
  latent.op.v_cache = {};
  validate(latent.op);
  EXPECT_EQ(cost(latent.op).read_bytes, 2 * 32 * 4);
  EXPECT_EQ(cost(latent.op).write_bytes, 2 * 32 * 2);
}

TEST(KvWriteOpDeathTest, RefusesSizesThatDoNotFit) {
  Example example;
  example.op.attributes = {.kv_heads = 4, .head_dim = 8};
  EXPECT_DEATH(validate(example.op),
               "kv_write: expected head_dim that is a multiple of 16, found 8");
  example.op.attributes = {.kv_heads = 0, .head_dim = 16};
  EXPECT_DEATH(validate(example.op), "kv_write: expected kv_heads of at least 1, found 0");
  Example borders;
  borders.op.write_from = borders.storage.indices({0, 0});
  EXPECT_DEATH(validate(borders.op), "operand 'write_from'");
  Example other;
  other.op.v_cache.dtype = DType::kF16;
  EXPECT_DEATH(validate(other.op), "operand 'v_cache': expected bf16 .3, 2048., found f16");
}

TEST(KvWriteOp, CostWritesTheCachesType) {
  const Cost c = cost(Example().op);
  EXPECT_EQ(c.read_bytes, 2 * 2 * 32 * 4);
  EXPECT_EQ(c.write_bytes, 2 * 2 * 32 * 2);
}

// Keys that are shared with other sequences keep their bytes.
TEST(KvWriteOp, LeavesOutRowsBelowTheBorder) {
  for (const bool is_reference : {true, false}) {
    OpStorage storage;
    KvWrite op{.k = storage.view(DType::kF32, 3, 16),
               .v = storage.view(DType::kF32, 3, 16),
               .positions = storage.indices({0, 1, 2}),
               .row_segment = storage.indices({0, 0, 0}),
               .block_table = storage.indices({0}),
               .write_from = storage.indices({1}),
               .k_cache = storage.view(DType::kF32, 1, 16 * 64),
               .v_cache = storage.view(DType::kF32, 1, 16 * 64),
               .attributes = {.kv_heads = 1, .head_dim = 16}};
    auto* keys = op.k_cache.row<float>(0);
    auto* values = op.v_cache.row<float>(0);
    for (int64_t row = 0; row < 3; ++row) {
      op.k.row<float>(row)[0] = 1.0f;
      op.v.row<float>(row)[0] = 2.0f;
      keys[row] = 7.0f;
      values[row * 16] = 8.0f;
    }
    (is_reference ? make_ref_backend() : make_cpu_backend(""))->run({}, op);
    EXPECT_EQ(keys[0], 7.0f) << is_reference;
    EXPECT_EQ(values[0], 8.0f) << is_reference;
    EXPECT_EQ(keys[1], 1.0f) << is_reference;
    EXPECT_EQ(values[32], 2.0f) << is_reference;
  }
}

}  // namespace
}  // namespace invar
