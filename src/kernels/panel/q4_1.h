// Q4_1: 32 columns share a scale and a minimum. weight = d * q + m, q a nibble.
// File, a group of a row: f16 d; f16 m; 16 bytes, byte i with column i (low nibble) and i + 16.
// Panel, a group of 16 rows: the nibble plane, f16 d [16], f16 m [16].
#pragma once

#include "kernels/panel/nibbles.h"

namespace invar::panel {

struct Q4_1 {
  static constexpr int64_t kFileBytes = 20;
  static constexpr int64_t kScales = kNibblePlaneBytes;
  static constexpr int64_t kMins = kScales + 32;
  static constexpr int64_t kBytes = kMins + 32;
};

void pack_q4_1(SourceRows source, int64_t columns, std::byte* destination);
void unpack_q4_1(const PackedMatrix& matrix, int64_t row, float* destination);

}  // namespace invar::panel
