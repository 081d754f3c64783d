// Q5_K: as Q4_K with q of five bits. weight = (d * sc) * q - (dmin * mn).
// File, a group of a row: d, dmin and the pairs (k_scales.h); 32 bytes of top bits, bit p of byte i
// for column 32 * p + i; 128 bytes of nibbles as in Q4_K.
// Panel, a group of 16 rows: the scales (k_scales.h); then for each part a nibble and a bit plane.
#pragma once

#include "kernels/panel/k_scales.h"
#include "kernels/panel/nibbles.h"

namespace invar::panel {

struct Q5_K {
  static constexpr int64_t kFileBytes = 176;
  static constexpr int64_t kQuants = KScales::kBytes;
  static constexpr int64_t kPartBytes = kFiveBitsBytes;
  static constexpr int64_t kBytes = kQuants + KScales::kParts * kPartBytes;
};

void pack_q5_k(SourceRows source, int64_t columns, std::byte* destination);
void unpack_q5_k(const PackedMatrix& matrix, int64_t row, float* destination);

}  // namespace invar::panel
