// Names, row sizes, and conversions of half-precision values over all 65,536 of them.
#include "core/dtype.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace invar {
namespace {

TEST(DType, NamesParse) {
  EXPECT_EQ(parse_dtype("f32"), DType::kF32);
  EXPECT_EQ(parse_dtype("bf16"), DType::kBF16);
  EXPECT_EQ(parse_dtype("f16"), DType::kF16);
  EXPECT_EQ(parse_dtype("i32"), std::nullopt);
  EXPECT_EQ(parse_dtype(""), std::nullopt);
}

TEST(DType, RowBytes) {
  EXPECT_EQ(row_bytes(DType::kF32, 3), 12);
  EXPECT_EQ(row_bytes(DType::kBF16, 3), 6);
  EXPECT_EQ(row_bytes(DType::kI64, 3), 24);
  EXPECT_EQ(row_bytes(DType::kU8, 3), 3);
  EXPECT_EQ(row_bytes(DType::kQ8Row, 64), 64 + 2 * 8);
}

TEST(DTypeDeathTest, Q8RowsComeInGroupsOf32) {
  EXPECT_DEATH(row_bytes(DType::kQ8Row, 33), "columns 33");
}

TEST(DType, HalvesSurviveARoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float f16 = f16_to_f32(half);
    const float bf16 = bf16_to_f32(half);
    if (std::isnan(f16)) {
      EXPECT_TRUE(std::isnan(f16_to_f32(f32_to_f16(f16))));
    } else {
      EXPECT_EQ(f32_to_f16(f16), half);
    }
    if (std::isnan(bf16)) {
      EXPECT_TRUE(std::isnan(bf16_to_f32(f32_to_bf16(bf16))));
    } else {
      EXPECT_EQ(f32_to_bf16(bf16), half);
    }
  }
}

TEST(DType, RoundsToNearestEven) {
  EXPECT_EQ(f32_to_bf16(0x1.01p0f), 0x3f80);  // a tie: to the even 1.0
  EXPECT_EQ(f32_to_bf16(0x1.03p0f), 0x3f82);  // a tie: up to the even
  EXPECT_EQ(f32_to_bf16(0x1.0102p0f), 0x3f81);
  EXPECT_EQ(f32_to_f16(0x1.002p0f), 0x3c00);
  EXPECT_EQ(f32_to_f16(0x1.006p0f), 0x3c02);
  EXPECT_EQ(f32_to_f16(65519.0f), 0x7bff);
  EXPECT_EQ(f32_to_f16(65520.0f), 0x7c00);  // rounds to infinity
  EXPECT_EQ(f32_to_f16(0x1p-25f), 0x0000);  // a tie with zero
  EXPECT_EQ(f32_to_f16(0x1.8p-25f), 0x0001);
  EXPECT_EQ(f32_to_f16(-0.0f), 0x8000);
  EXPECT_EQ(f32_to_f16(std::numeric_limits<float>::infinity()), 0x7c00);
}

}  // namespace
}  // namespace invar
