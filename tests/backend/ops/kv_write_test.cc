// Checks and cost of kv_write.
#include "backend/ops/kv_write.h"

#include <gtest/gtest.h>

#include "backend/ops/op_storage.h"

namespace invar {
namespace {

struct Example {
  OpStorage storage;
  KvWrite op{.k = storage.view(DType::kF32, 2, 32),
             .v = storage.view(DType::kF32, 2, 32),
             .positions = storage.indices({0, 64}),
             .row_segment = storage.indices({0, 0}),
             .block_table = storage.view(DType::kI32, 1, 2),
             .k_cache = storage.view(DType::kBF16, 3, 32 * 64),
             .v_cache = storage.view(DType::kBF16, 3, 32 * 64),
             .attributes = {.kv_heads = 2, .head_dim = 16}};
};

TEST(KvWriteOp, AcceptsACache) {
  validate(Example().op);
}

TEST(KvWriteOpDeathTest, RefusesSizesThatDoNotFit) {
  Example example;
  example.op.attributes = {.kv_heads = 4, .head_dim = 8};
  EXPECT_DEATH(validate(example.op),
               "kv_write: expected head_dim that is a multiple of 16, found 8");
  example.op.attributes = {.kv_heads = 0, .head_dim = 16};
  EXPECT_DEATH(validate(example.op), "kv_write: expected kv_heads of at least 1, found 0");
  Example other;
  other.op.v_cache.dtype = DType::kF16;
  EXPECT_DEATH(validate(other.op), "operand 'v_cache': expected bf16 .3, 2048., found f16");
}

TEST(KvWriteOp, CostWritesTheCachesType) {
  const Cost c = cost(Example().op);
  EXPECT_EQ(c.read_bytes, 2 * 2 * 32 * 4);
  EXPECT_EQ(c.write_bytes, 2 * 2 * 32 * 2);
}

}  // namespace
}  // namespace invar
