// Checks and cost of rope.
#include "backend/ops/rope.h"

#include <gtest/gtest.h>

#include "backend/ops/op_storage.h"

namespace invar {
namespace {

struct Example {
  OpStorage storage;
  Rope op{.positions = storage.indices({5, 6}),
          .table = storage.view(DType::kF32, 10, 8),
          .x = storage.view(DType::kF32, 2, 36),
          .attributes = {.head_dim = 12}};
};

TEST(RopeOp, AcceptsHeadsRotatedInPart) {
  validate(Example().op);
}

TEST(RopeOpDeathTest, RefusesSizesThatDoNotFit) {
  Example example;
  example.op.attributes.head_dim = 10;
  EXPECT_DEATH(validate(example.op), "rope: expected columns that are a multiple of 10, found 36");
  example.op.attributes.head_dim = 6;
  EXPECT_DEATH(validate(example.op), "an even number of table columns, at most 6, found 8");
  Example odd;
  odd.op.table = odd.storage.view(DType::kF32, 10, 7);
  EXPECT_DEATH(validate(odd.op), "an even number of table columns, at most 12, found 7");
  Example behind;
  behind.op.attributes.first_column = 6;
  EXPECT_DEATH(validate(behind.op), "an even number of table columns, at most 6, found 8");
  Example positions;
  positions.op.positions = positions.storage.indices({5});
  EXPECT_DEATH(validate(positions.op), "operand 'positions': expected i32 .2, 1.");
}

TEST(RopeOp, AcceptsThreePositionsWithSections) {
  Example example;
  example.op.attributes.sections = {2, 1, 1};
  example.op.positions = example.storage.view(DType::kI32, 2, 3);
  validate(example.op);
  std::vector<int64_t> streams;
  for (int64_t pair = 0; pair < 8; ++pair) {
    streams.push_back(rope_stream({5, 2, 1}, pair));
  }
  EXPECT_EQ(streams, (std::vector<int64_t>{0, 1, 2, 0, 1, 0, 0, 0}));
}

TEST(RopeOpDeathTest, RefusesSectionsThatDoNotFit) {
  Example example;
  example.op.attributes.sections = {2, 1, 1};
  EXPECT_DEATH(validate(example.op), "operand 'positions': expected i32 .2, 3.");
  example.op.attributes.sections = {2, 1, 2};
  EXPECT_DEATH(validate(example.op), "rope: expected sections of 4 pairs, at most 320, found 5");
}

TEST(RopeOp, CostCountsRotatedColumnsOnly) {
  const Cost c = cost(Example().op);
  EXPECT_EQ(c.read_bytes, (6 + 2) * 8 * 4);  // six heads, and two rows of the table
  EXPECT_EQ(c.write_bytes, 6 * 8 * 4);
}

}  // namespace
}  // namespace invar
