// The shape checks that every op's validate is made of.
#include "backend/ops/operand_rule.h"

#include <gtest/gtest.h>

namespace invar {
namespace {

alignas(64) float storage[64];

constexpr OperandRule kRule = {"some_op", "x", kF32OrBF16, 3, 4};

TEST(OperandRule, AcceptsWhatFits) {
  check_operand(kRule, dense_view(storage, DType::kF32, 3, 4));
  check_operand(kRule, dense_view(storage, DType::kBF16, 3, 4));
  TensorView strided = dense_view(storage, DType::kF32, 3, 4);
  strided.stride_bytes = 20;
  check_operand(kRule, strided);
}

TEST(OperandRule, AnEmptyOperandNeedsNoData) {
  const OperandRule empty = {"some_op", "x", kOnlyF32, 0, 4};
  check_operand(empty, dense_view(nullptr, DType::kF32, 0, 4));
}

TEST(OperandRule, OneRowNeedsNoStride) {
  const OperandRule one = {"some_op", "x", kOnlyF32, 1, 4};
  TensorView view = dense_view(storage, DType::kF32, 1, 4);
  view.stride_bytes = 0;
  check_operand(one, view);
}

TEST(OperandRuleDeathTest, NamesOpOperandExpectedAndFound) {
  EXPECT_DEATH(check_operand(kRule, dense_view(storage, DType::kF32, 3, 5)),
               "some_op: operand 'x': expected f32\\|bf16 \\[3, 4\\], found f32 \\[3, 5\\]");
  EXPECT_DEATH(check_operand(kRule, dense_view(storage, DType::kF32, 2, 4)), "found f32 .2, 4.");
  EXPECT_DEATH(check_operand(kRule, dense_view(storage, DType::kI32, 3, 4)), "found i32 .3, 4.");
  EXPECT_DEATH(check_operand(kRule, dense_view(nullptr, DType::kF32, 3, 4)), "expected data");
}

TEST(OperandRuleDeathTest, RefusesAddressesAndStridesThatDoNotFit) {
  TensorView view = dense_view(reinterpret_cast<std::byte*>(storage) + 2, DType::kF32, 3, 4);
  EXPECT_DEATH(check_operand(kRule, view), "aligned to 4 bytes");
  view = dense_view(storage, DType::kF32, 3, 4);
  view.stride_bytes = 12;
  EXPECT_DEATH(check_operand(kRule, view), "a stride of at least 16 bytes in steps of 4, found 12");
  view.stride_bytes = 18;
  EXPECT_DEATH(check_operand(kRule, view), "found 18");
}

}  // namespace
}  // namespace invar
