// Q4_0: 32 columns share a scale. weight = d * (q - 8), q a nibble.
// File, a group of a row: f16 d; 16 bytes, byte i with column i (low nibble) and i + 16 (high).
// Panel, a group of 16 rows: the nibble plane, then f16 d [16].
#pragma once

#include "kernels/panel/nibbles.h"

namespace invar::panel {

struct Q4_0 {
  static constexpr int64_t kFileBytes = 18;
  static constexpr int64_t kScales = kNibblePlaneBytes;
  static constexpr int64_t kBytes = kScales + 32;
  static constexpr int kOffset = 8;
};

void pack_q4_0(SourceRows source, int64_t columns, std::byte* destination);
void unpack_q4_0(const PackedMatrix& matrix, int64_t row, float* destination);

}  // namespace invar::panel
