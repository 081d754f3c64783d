// Checks and cost of linear.
#include "backend/ops/linear.h"

#include <gtest/gtest.h>

#include "backend/ops/op_storage.h"

namespace invar {
namespace {

alignas(64) constexpr std::byte kSomeWeight[64] = {};

PackedMatrix matrix(WeightFormat format) {
  return {.format = format, .rows = 20, .columns = 64, .data = kSomeWeight};
}

struct Example {
  PackedMatrix weight = matrix(WeightFormat::kQ4_1);
  OpStorage storage;
  Linear op{.x = storage.view(DType::kQ8Row, 3, 64),
            .bias = {},
            .addend = {},
            .out = storage.view(DType::kF32, 3, 20),
            .attributes = {.weight = &weight}};
};

TEST(LinearOp, AcceptsRowsThatGoWithTheFormat) {
  Example quantized;
  validate(quantized.op);
  quantized.op.bias = quantized.storage.view(DType::kF32, 1, 20);
  quantized.op.addend = quantized.op.out;
  validate(quantized.op);
  for (DType dtype : {DType::kF32, DType::kBF16}) {
    Example dense;
    dense.weight.format = WeightFormat::kF16;
    dense.op.x = dense.storage.view(dtype, 3, 64);
    validate(dense.op);
  }
}

TEST(LinearOpDeathTest, RefusesOtherRows) {
  Example example;
  example.op.x = example.storage.view(DType::kF32, 3, 64);
  EXPECT_DEATH(validate(example.op), "linear: operand 'x': expected q8 .3, 64., found f32");
  example.weight.format = WeightFormat::kBF16;
  example.op.x = example.storage.view(DType::kF16, 3, 64);
  EXPECT_DEATH(validate(example.op), "linear: operand 'x': expected f32.bf16 .3, 64., found f16");
}

TEST(LinearOpDeathTest, RefusesOtherShapes) {
  Example example;
  example.op.out.columns = 16;
  EXPECT_DEATH(validate(example.op), "operand 'out': expected f32 .3, 20., found f32 .3, 16.");
  Example bias;
  bias.op.bias = bias.storage.view(DType::kF32, 1, 19);
  EXPECT_DEATH(validate(bias.op), "operand 'bias': expected f32 .1, 20., found f32 .1, 19.");
  Example addend;
  addend.op.addend = addend.storage.view(DType::kF32, 2, 20);
  EXPECT_DEATH(validate(addend.op), "operand 'addend': expected f32 .3, 20., found f32 .2, 20.");
}

TEST(LinearOpDeathTest, RefusesWeightsThatAreNone) {
  Example example;
  example.op.attributes.weight = nullptr;
  EXPECT_DEATH(validate(example.op), "linear: expected a weight, found none");
  Example unpacked;
  unpacked.weight.data = nullptr;
  EXPECT_DEATH(validate(unpacked.op), "linear: expected a packed weight");
  Example part;
  part.weight.columns = 48;
  EXPECT_DEATH(validate(part.op), "linear: expected a weight of whole groups of columns, found 48");
}

TEST(LinearOp, CostCountsTheWeightOnce) {
  Example example;
  const int64_t weight_bytes = 2 * 2 * 16 * 20;  // panels, groups, rows, bytes of a group
  const int64_t x_bytes = 3 * (64 + 2 * 8);
  EXPECT_EQ(cost(example.op).read_bytes, weight_bytes + x_bytes);
  EXPECT_EQ(cost(example.op).write_bytes, 3 * 20 * 4);
  EXPECT_EQ(cost(example.op).flops, 2 * 3 * 20 * 64);
  example.op.bias = example.storage.view(DType::kF32, 1, 20);
  example.op.addend = example.op.out;
  EXPECT_EQ(cost(example.op).read_bytes, weight_bytes + x_bytes + 20 * 4 + 60 * 4);
}

}  // namespace
}  // namespace invar
