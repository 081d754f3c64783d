// Checks and cost of quantize_rows.
#include "backend/ops/quantize_rows.h"

#include <gtest/gtest.h>

#include "backend/ops/op_storage.h"

namespace invar {
namespace {

struct Example {
  OpStorage storage;
  QuantizeRows op{.x = storage.view(DType::kF32, 2, 64),
                  .out = storage.view(DType::kQ8Row, 2, 64),
                  .attributes = {}};
};

TEST(QuantizeRowsOp, AcceptsWholeGroups) {
  validate(Example().op);
}

TEST(QuantizeRowsOpDeathTest, RefusesOtherSizes) {
  Example example;
  example.op.x.columns = 48;
  EXPECT_DEATH(validate(example.op),
               "quantize_rows: expected columns that are a multiple of 32, found 48");
  Example other;
  other.op.out.columns = 32;
  EXPECT_DEATH(validate(other.op), "operand 'out': expected q8 .2, 64., found q8 .2, 32.");
}

TEST(QuantizeRowsOp, CostWritesQuantizedRows) {
  const Cost c = cost(Example().op);
  EXPECT_EQ(c.read_bytes, 128 * 4);
  EXPECT_EQ(c.write_bytes, 2 * row_bytes(DType::kQ8Row, 64));
}

}  // namespace
}  // namespace invar
