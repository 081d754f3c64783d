// Checks and cost of moe_route.
#include "backend/ops/moe_route.h"

#include <gtest/gtest.h>

#include "backend/ops/op_storage.h"

namespace invar {
namespace {

struct Example {
  OpStorage storage;
  MoeRoute op{.logits = storage.view(DType::kF32, 3, 8),
              .bias = {},
              .ids = storage.view(DType::kI32, 3, 2),
              .weights = storage.view(DType::kF32, 3, 2),
              .attributes = {.top_k = 2}};
};

TEST(MoeRouteOp, AcceptsGroupsAndABias) {
  Example example;
  validate(example.op);
  example.op.bias = example.storage.view(DType::kF32, 1, 8);
  example.op.attributes.groups = 4;
  example.op.attributes.groups_used = 1;
  validate(example.op);
}

TEST(MoeRouteOpDeathTest, RefusesMoreThanThereIs) {
  Example example;
  example.op.attributes.top_k = 9;
  EXPECT_DEATH(validate(example.op), "moe_route: expected a top_k of 1 to 8, found 9");
  example.op.attributes.top_k = 3;
  example.op.attributes.groups = 4;
  EXPECT_DEATH(validate(example.op), "moe_route: expected a top_k of 1 to 2, found 3");
  example.op.attributes.groups = 3;
  EXPECT_DEATH(validate(example.op), "expected 8 experts in equal groups, found 1 of 3 groups");
  Example many;
  many.op.logits = many.storage.view(DType::kF32, 3, kMoeExpertsMax + 1);
  EXPECT_DEATH(validate(many.op), "moe_route: expected 1 to 1024 experts, found 1025");
}

TEST(MoeRouteOpDeathTest, RefusesOtherShapes) {
  Example example;
  example.op.weights.columns = 1;
  EXPECT_DEATH(validate(example.op), "operand 'weights': expected f32 .3, 2., found f32 .3, 1.");
  Example bias;
  bias.op.bias = bias.storage.view(DType::kF32, 1, 7);
  EXPECT_DEATH(validate(bias.op), "operand 'bias': expected f32 .1, 8., found f32 .1, 7.");
}

TEST(MoeRouteOp, CostCountsWhatIsThere) {
  Example example;
  EXPECT_EQ(cost(example.op).read_bytes, 3 * 8 * 4);
  EXPECT_EQ(cost(example.op).write_bytes, 3 * 2 * (4 + 4));
  example.op.bias = example.storage.view(DType::kF32, 1, 8);
  EXPECT_EQ(cost(example.op).read_bytes, 3 * 8 * 4 + 8 * 4);
}

}  // namespace
}  // namespace invar
