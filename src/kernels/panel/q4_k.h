// Q4_K: 256 columns share d and dmin; each 32 of them a 6-bit scale sc and minimum mn.
// weight = (d * sc) * q - (dmin * mn), q a nibble. Both products are exact in f32.
// File, a group of a row: f16 d; f16 dmin; 12 bytes with the eight sc and mn; 128 bytes of nibbles,
// byte 32 * c + i with column 64 * c + i (low) and 64 * c + 32 + i (high).
// Panel, a group of 16 rows: f16 d [16], f16 dmin [16]; for each of the eight parts of 32 columns
// u8 sc [16] and u8 mn [16]; then eight nibble planes. The wider scales add 2.8 % to the file's
// form and spare the kernels the unpacking.
#pragma once

#include "kernels/panel/nibbles.h"

namespace invar::panel {

struct Q4_K {
  static constexpr int64_t kFileBytes = 144;
  static constexpr int64_t kParts = 8;
  static constexpr int64_t kScales = 0;
  static constexpr int64_t kMins = 32;
  static constexpr int64_t kPartScales = 64;  // stride kPartScaleBytes: sc [16], mn [16]
  static constexpr int64_t kPartScaleBytes = 32;
  static constexpr int64_t kQuants = kPartScales + kParts * kPartScaleBytes;
  static constexpr int64_t kBytes = kQuants + kParts * kNibblePlaneBytes;
};

void pack_q4_k(SourceRows source, int64_t columns, std::byte* destination);
void unpack_q4_k(const PackedMatrix& matrix, int64_t row, float* destination);

}  // namespace invar::panel
