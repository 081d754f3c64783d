// Checks and cost of depth_mix.
#include "backend/ops/depth_mix.h"

#include <gtest/gtest.h>

#include "backend/ops/op_storage.h"

namespace invar {
namespace {

struct Example {
  OpStorage storage;
  DepthMix op{.banks = storage.view(DType::kF32, 2, 3 * 6),
              .running = storage.view(DType::kF32, 2, 6),
              .norm_weight = storage.view(DType::kF32, 1, 6),
              .query = storage.view(DType::kF32, 1, 6),
              .out = storage.view(DType::kF32, 2, 6),
              .attributes = {.banks_used = 2, .eps = 1e-5f}};
};

TEST(DepthMixOp, NeedsNoBanksWhereNoneIsUsed) {
  Example example;
  validate(example.op);
  example.op.banks = {};
  example.op.attributes.banks_used = 0;
  validate(example.op);
}

TEST(DepthMixOpDeathTest, RefusesBanksThatAreNotThere) {
  Example example;
  example.op.attributes.banks_used = 4;
  EXPECT_DEATH(validate(example.op), "columns for 4 banks of 6, found 18");
  example.op.attributes.banks_used = 32;
  EXPECT_DEATH(validate(example.op), "expected at most 31 banks, found 32");
}

TEST(DepthMixOp, CostCountsTheBanksInUse) {
  const Cost c = cost(Example().op);
  EXPECT_EQ(c.read_bytes, (3 * 12 + 2 * 6) * 4);
  EXPECT_EQ(c.write_bytes, 12 * 4);
}

}  // namespace
}  // namespace invar
