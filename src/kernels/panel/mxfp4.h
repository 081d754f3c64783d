// MXFP4: 32 columns share a power of two. weight = 2^(e - 127) * v, v one of 0, 0.5, 1, 1.5, 2, 3,
// 4, 6 by the low three bits of a nibble, negative if its top bit is set. e = 255 stands for NaN in
// the published format; loaders refuse it, and here it multiplies by infinity.
// File, a group of a row: u8 e; 16 bytes, byte i with column i (low nibble) and i + 16 (high).
// Panel, a group of 16 rows: four vectors of 64 bytes, nibble i of word `lane` of vector v with
// column 8 * v + i, so that a column is widened by one look-up; then u8 e [16].
#pragma once

#include "kernels/panel/panel_io.h"

namespace invar::panel {

struct Mxfp4 {
  static constexpr int64_t kFileBytes = 17;
  static constexpr int64_t kScales = 256;
  static constexpr int64_t kBytes = kScales + 16;
  static constexpr uint8_t kNanScale = 255;
};

void pack_mxfp4(SourceRows source, int64_t columns, std::byte* destination);
void unpack_mxfp4(const PackedMatrix& matrix, int64_t row, float* destination);

// One group of the file from the form that checkpoints of packed nibbles store: 16 bytes, byte i
// with column 2 * i (low nibble) and 2 * i + 1 (high), and the scale apart.
void join_mxfp4_group(const std::byte* nibbles, std::byte scale, std::byte* group);

}  // namespace invar::panel
