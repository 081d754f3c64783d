// Q4_K: 256 columns share d and dmin; each 32 of them a 6-bit scale sc and minimum mn.
// weight = (d * sc) * q - (dmin * mn), q a nibble. Both products are exact in f32.
// File, a group of a row: d, dmin and the pairs (k_scales.h); 128 bytes of nibbles, byte 32 * c + i
// with column 64 * c + i (low) and 64 * c + 32 + i (high).
// Panel, a group of 16 rows: the scales (k_scales.h); then eight nibble planes, one a part.
#pragma once

#include "kernels/panel/k_scales.h"
#include "kernels/panel/nibbles.h"

namespace invar::panel {

struct Q4_K {
  static constexpr int64_t kFileBytes = 144;
  static constexpr int64_t kQuants = KScales::kBytes;
  static constexpr int64_t kPartBytes = kNibblePlaneBytes;
  static constexpr int64_t kBytes = kQuants + KScales::kParts * kPartBytes;
};

void pack_q4_k(SourceRows source, int64_t columns, std::byte* destination);
void unpack_q4_k(const PackedMatrix& matrix, int64_t row, float* destination);

}  // namespace invar::panel
