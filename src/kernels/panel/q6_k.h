// Q6_K: 256 columns share d; each 16 of them an int8 scale sc. weight = (d * sc) * (q - 32), q of
// six bits. All products are exact in f32.
// File, a group of a row: 128 bytes of low nibbles, 64 bytes of high bit pairs, int8 sc [16], f16
// d. In each half h of 128 columns, column 32 * j + i (j < 4, i < 32) has its nibble in byte 64 * h
// + 32 * (j % 2) + i, low for j < 2, and its bit pair in byte 32 * h + i, bits 2j and 2j + 1.
// Panel, a group of 16 rows: f16 d [16]; int8 sc [16 parts of 16 columns][16]; then for each part
// of 32 columns a nibble plane and a plane of bit pairs: two vectors of 64 bytes, byte 4 * lane + i
// of vector v with column 16 * v + 4 * s + i in bits 2s and 2s + 1 (s < 4).
#pragma once

#include "kernels/panel/nibbles.h"

namespace invar::panel {

struct Q6_K {
  static constexpr int64_t kFileBytes = 210;
  static constexpr int64_t kParts = 8;
  static constexpr int64_t kScales = 0;
  static constexpr int64_t kPartScales = 32;  // int8 sc of columns 0..15 [16], of 16..31 [16]
  static constexpr int64_t kPartScaleBytes = 32;
  static constexpr int64_t kQuants = kPartScales + kParts * kPartScaleBytes;
  static constexpr int64_t kPairPlane = kNibblePlaneBytes;  // within a part
  static constexpr int64_t kPartBytes = kNibblePlaneBytes + 128;
  static constexpr int64_t kBytes = kQuants + kParts * kPartBytes;
  static constexpr int kOffset = 32;
};

void pack_q6_k(SourceRows source, int64_t columns, std::byte* destination);
void unpack_q6_k(const PackedMatrix& matrix, int64_t row, float* destination);

}  // namespace invar::panel
