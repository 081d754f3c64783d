// Packs and unpacks Q4_K.
#include "kernels/panel/q4_k.h"

namespace invar::panel {

void pack_q4_k(SourceRows source, int64_t columns, std::byte* destination) {
  for (int64_t g = 0; g < columns / 256; ++g, destination += Q4_K::kBytes) {
    const GroupRows group(source, g * Q4_K::kFileBytes);
    pack_k_scales(group, destination);
    for (int64_t part = 0; part < KScales::kParts; ++part) {
      pack_k_nibbles(group, KScales::kFileBytes, part,
                     destination + Q4_K::kQuants + part * Q4_K::kPartBytes);
    }
  }
}

void unpack_q4_k(const PackedMatrix& matrix, int64_t row, float* destination) {
  const int64_t lane = lane_of_row(row);
  const std::byte* group = panel_of_row(matrix, row);
  for (int64_t g = 0; g < matrix.columns / 256; ++g, group += Q4_K::kBytes) {
    for (int64_t part = 0; part < KScales::kParts; ++part, destination += 32) {
      const ScaleAndMin scales = k_scales_of(group, part, lane);
      const std::byte* plane = group + Q4_K::kQuants + part * Q4_K::kPartBytes;
      for (int64_t column = 0; column < 32; ++column) {
        destination[column] =
            scales.scale * static_cast<float>(nibble(plane, lane, column)) - scales.min;
      }
    }
  }
}

}  // namespace invar::panel
