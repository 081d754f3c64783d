// Indices inside an op's operands (positions, rows, kv_blocks) that point outside are bugs, found
// before memory is touched.
#include <gtest/gtest.h>

#include "backend/ops/op_storage.h"
#include "backend/registry.h"

namespace invar {
namespace {

TEST(IndexChecksDeathTest, GatherRows) {
  for (int32_t row : {-1, 4}) {
    OpStorage storage;
    const GatherRows op{.x = storage.view(DType::kF32, 4, 8),
                        .row_index = storage.indices({row}),
                        .out = storage.view(DType::kF32, 1, 8),
                        .attributes = {}};
    EXPECT_DEATH(make_cpu_backend("")->run({}, op), "gather_rows: row -?[0-9] of 4");
  }
}

TEST(IndexChecksDeathTest, Rope) {
  for (int32_t position : {-1, 10}) {
    OpStorage storage;
    const Rope op{.positions = storage.indices({position}),
                  .table = storage.view(DType::kF32, 10, 8),
                  .x = storage.view(DType::kF32, 1, 8),
                  .attributes = {.head_dim = 8}};
    EXPECT_DEATH(make_cpu_backend("")->run({}, op), "rope: position -?[0-9]+ of 10");
  }
}

TEST(IndexChecksDeathTest, RopeOfThreePositions) {
  for (int bad : {0, 1, 2}) {
    OpStorage storage;
    const Rope op{.positions = storage.view(DType::kI32, 1, 3),
                  .table = storage.view(DType::kF32, 10, 8),
                  .x = storage.view(DType::kF32, 1, 8),
                  .attributes = {.head_dim = 8, .sections = {2, 1, 1}}};
    op.positions.row<int32_t>(0)[bad] = 10;
    EXPECT_DEATH(make_cpu_backend("")->run({}, op), "rope: position 10 of 10");
  }
}

TEST(IndexChecksDeathTest, ExpertLinear) {
  alignas(64) static constexpr std::byte kWeight[3 * 16 * 8 * 4] = {};
  const PackedMatrix weight{
      .format = WeightFormat::kF32, .rows = 3 * 16, .columns = 8, .data = kWeight};
  for (int32_t expert : {-1, 3}) {
    OpStorage storage;
    const ExpertLinear op{.x = storage.view(DType::kF32, 1, 8),
                          .ids = storage.indices({expert}),
                          .out = storage.view(DType::kF32, 1, 16),
                          .attributes = {.weight = &weight, .experts = 3}};
    EXPECT_DEATH(make_cpu_backend("")->run({}, op), "expert_linear: expert -?[0-9] of 3");
  }
}

struct KvExample {
  OpStorage storage;
  KvWrite op{.k = storage.view(DType::kF32, 1, 16),
             .v = storage.view(DType::kF32, 1, 16),
             .positions = storage.indices({0}),
             .row_segment = storage.indices({0}),
             .block_table = storage.indices({1}),
             .write_from = {},
             .k_cache = storage.view(DType::kF32, 2, 16 * 64),
             .v_cache = storage.view(DType::kF32, 2, 16 * 64),
             .attributes = {.kv_heads = 1, .head_dim = 16}};
};

TEST(IndexChecksDeathTest, KvWrite) {
  const auto backend = make_cpu_backend("");
  KvExample position;
  *position.op.positions.row<int32_t>(0) = 64;
  EXPECT_DEATH(backend->run({}, position.op), "position 64 of a table for 1 kv_blocks");
  KvExample segment;
  *segment.op.row_segment.row<int32_t>(0) = 1;
  EXPECT_DEATH(backend->run({}, segment.op), "segment 1 of 1");
  KvExample kv_block;
  *kv_block.op.block_table.row<int32_t>(0) = 2;
  EXPECT_DEATH(backend->run({}, kv_block.op), "kv_block 2 of 2");
  backend->run({}, KvExample().op);
}

}  // namespace
}  // namespace invar
