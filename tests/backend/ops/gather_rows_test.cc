// Checks and cost of gather_rows.
#include "backend/ops/gather_rows.h"

#include <gtest/gtest.h>

#include "backend/ops/op_storage.h"

namespace invar {
namespace {

struct Example {
  OpStorage storage;
  GatherRows op{.x = storage.view(DType::kBF16, 4, 8),
                .row_index = storage.indices({3, 0}),
                .out = storage.view(DType::kBF16, 2, 8),
                .attributes = {}};
};

TEST(GatherRowsOp, AcceptsFewerRows) {
  validate(Example().op);
}

TEST(GatherRowsOpDeathTest, RefusesAnotherDtypeOrCount) {
  Example example;
  example.op.out.dtype = DType::kF16;
  EXPECT_DEATH(validate(example.op),
               "gather_rows: operand 'out': expected bf16 .2, 8., found f16 .2, 8.");
  Example other;
  other.op.row_index = other.storage.indices({1, 2, 3});
  EXPECT_DEATH(validate(other.op), "operand 'row_index': expected i32 .2, 1., found i32 .3, 1.");
}

TEST(GatherRowsOp, CostCountsTheWantedRowsOnly) {
  const Cost c = cost(Example().op);
  EXPECT_EQ(c.read_bytes, 2 * 8 * 2 + 2 * 4);
  EXPECT_EQ(c.write_bytes, 2 * 8 * 2);
  EXPECT_EQ(c.flops, 0);
}

}  // namespace
}  // namespace invar
