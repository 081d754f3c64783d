// Packs and unpacks Q5_0.
#include "kernels/panel/q5_0.h"

#include "core/dtype.h"

namespace invar::panel {

void pack_q5_0(SourceRows source, int64_t columns, std::byte* destination) {
  for (int64_t g = 0; g < columns / 32; ++g, destination += Q5_0::kBytes) {
    const GroupRows group(source, g * Q5_0::kFileBytes);
    pack_nibbles(group, 6, destination);
    for (int64_t lane = 0; lane < kPanelRows; ++lane) {
      pack_bits(load<uint32_t>(group.row[lane] + 2), lane, destination + kNibblePlaneBytes);
    }
    gather_lanes<uint16_t>(group, 0, destination + Q5_0::kScales);
  }
}

void unpack_q5_0(const PackedMatrix& matrix, int64_t row, float* destination) {
  const int64_t lane = lane_of_row(row);
  const std::byte* group = panel_of_row(matrix, row);
  for (int64_t g = 0; g < matrix.columns / 32; ++g, group += Q5_0::kBytes, destination += 32) {
    const float d = f16_to_f32(load<uint16_t>(group + Q5_0::kScales + 2 * lane));
    for (int64_t column = 0; column < 32; ++column) {
      destination[column] = d * static_cast<float>(five_bits(group, lane, column) - Q5_0::kOffset);
    }
  }
}

}  // namespace invar::panel
