// Q5_0: 32 columns share a scale. weight = d * (q - 16), q of five bits.
// File, a group of a row: f16 d; u32 with the top bit of column i in bit i; 16 bytes, byte i with
// the low bits of column i (low nibble) and of column i + 16 (high nibble).
// Panel, a group of 16 rows: the nibble plane, the bit plane, f16 d [16].
#pragma once

#include "kernels/panel/nibbles.h"

namespace invar::panel {

struct Q5_0 {
  static constexpr int64_t kFileBytes = 22;
  static constexpr int64_t kScales = kFiveBitsBytes;
  static constexpr int64_t kBytes = kScales + 32;
  static constexpr int kOffset = 16;
};

void pack_q5_0(SourceRows source, int64_t columns, std::byte* destination);
void unpack_q5_0(const PackedMatrix& matrix, int64_t row, float* destination);

}  // namespace invar::panel
