// Q5_1: 32 columns share a scale and a minimum. weight = d * q + m, q of five bits.
// File, a group of a row: f16 d; f16 m; u32 with the top bit of column i in bit i; 16 bytes, byte i
// with the low bits of column i (low nibble) and of column i + 16 (high nibble). Panel, a group of
// 16 rows: the nibble plane, the bit plane, f16 d [16], f16 m [16].
#pragma once

#include "kernels/panel/nibbles.h"

namespace invar::panel {

struct Q5_1 {
  static constexpr int64_t kFileBytes = 24;
  static constexpr int64_t kScales = kFiveBitsBytes;
  static constexpr int64_t kMins = kScales + 32;
  static constexpr int64_t kBytes = kMins + 32;
};

void pack_q5_1(SourceRows source, int64_t columns, std::byte* destination);
void unpack_q5_1(const PackedMatrix& matrix, int64_t row, float* destination);

}  // namespace invar::panel
