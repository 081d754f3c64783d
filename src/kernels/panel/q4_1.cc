// Packs and unpacks Q4_1.
#include "kernels/panel/q4_1.h"

#include "core/dtype.h"

namespace invar::panel {

void pack_q4_1(SourceRows source, int64_t columns, std::byte* destination) {
  for (int64_t g = 0; g < columns / 32; ++g, destination += Q4_1::kBytes) {
    const GroupRows group(source, g * Q4_1::kFileBytes);
    pack_nibbles(group, 4, destination);
    gather_lanes<uint16_t>(group, 0, destination + Q4_1::kScales);
    gather_lanes<uint16_t>(group, 2, destination + Q4_1::kMins);
  }
}

void unpack_q4_1(const PackedMatrix& matrix, int64_t row, float* destination) {
  const int64_t lane = lane_of_row(row);
  const std::byte* group = panel_of_row(matrix, row);
  for (int64_t g = 0; g < matrix.columns / 32; ++g, group += Q4_1::kBytes, destination += 32) {
    const float d = f16_to_f32(load<uint16_t>(group + Q4_1::kScales + 2 * lane));
    const float m = f16_to_f32(load<uint16_t>(group + Q4_1::kMins + 2 * lane));
    for (int64_t column = 0; column < 32; ++column) {
      destination[column] = d * static_cast<float>(nibble(group, lane, column)) + m;
    }
  }
}

}  // namespace invar::panel
