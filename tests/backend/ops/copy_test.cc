// Checks and cost of copy.
#include "backend/ops/copy.h"

#include <gtest/gtest.h>

#include "backend/ops/op_storage.h"

namespace invar {
namespace {

TEST(CopyOp, TakesEqualShapesAndTypes) {
  OpStorage storage;
  Copy op{.x = storage.view(DType::kF32, 3, 8),
          .out = storage.view(DType::kF32, 3, 8),
          .attributes = {}};
  validate(op);
  EXPECT_EQ(cost(op).read_bytes, 3 * 8 * 4);
  EXPECT_EQ(cost(op).write_bytes, 3 * 8 * 4);
  op.out = storage.view(DType::kBF16, 3, 8);
  EXPECT_DEATH(validate(op), "copy: operand 'out': expected f32 .3, 8., found bf16 .3, 8.");
}

}  // namespace
}  // namespace invar
