// Q8_0: 32 columns share a scale. weight = d * q, q an int8 (-128 included).
// File, a group of a row: f16 d; int8 q [32].
// Panel, a group of 16 rows: eight vectors of 64 bytes, byte 4 * lane + i of vector v with column
// 4 * v + i as q + 128 (dot products of bytes want one unsigned side), then f16 d [16].
#pragma once

#include "kernels/panel/panel_io.h"

namespace invar::panel {

struct Q8_0 {
  static constexpr int64_t kFileBytes = 34;
  static constexpr int64_t kScales = 512;
  static constexpr int64_t kBytes = kScales + 32;
  static constexpr int kOffset = 128;
};

void pack_q8_0(SourceRows source, int64_t columns, std::byte* destination);
void unpack_q8_0(const PackedMatrix& matrix, int64_t row, float* destination);

}  // namespace invar::panel
