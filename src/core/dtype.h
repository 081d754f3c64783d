// Element types of tensors, and exact scalar conversions between them.
// Block-quantized weight formats are not dtypes: see kernels/weight_format.h.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

namespace invar {

enum class DType : uint8_t {
  kF32,
  kBF16,
  kF16,
  kI32,
  kI64,
  kU8,
  // One row of int8 activations in groups of 32: int8 values [K], then f32 scales [K / 32], then
  // i16 sums of every 16 int8 values [K / 16]. K is a multiple of 32 (docs/numerics.md).
  kQ8Row,
};

std::string_view dtype_name(DType dtype);
// Accepts "f32", "bf16", "f16" (the spellings of --dtype). Empty if unknown.
std::optional<DType> parse_dtype(std::string_view name);

// Bytes of one row of `columns` elements. For kQ8Row, `columns` must be a multiple of 32.
int64_t row_bytes(DType dtype, int64_t columns);

// bf16 -> f32 is exact; f32 -> bf16 rounds to nearest even and keeps NaN a (quiet) NaN.
inline float bf16_to_f32(uint16_t value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value) << 16);
}
inline uint16_t f32_to_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) {
    return static_cast<uint16_t>((bits >> 16) | 0x0040u);
  }
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

// IEEE half precision; both directions as the hardware's F16C (round to nearest even).
float f16_to_f32(uint16_t value);
uint16_t f32_to_f16(float value);

}  // namespace invar
