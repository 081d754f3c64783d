// Packs and unpacks Q8_0.
#include "kernels/panel/q8_0.h"

#include "core/dtype.h"

namespace invar::panel {

void pack_q8_0(SourceRows source, int64_t columns, std::byte* destination) {
  for (int64_t g = 0; g < columns / 32; ++g, destination += Q8_0::kBytes) {
    const GroupRows group(source, g * Q8_0::kFileBytes);
    for (int64_t vector = 0; vector < 8; ++vector) {
      for (int64_t lane = 0; lane < kPanelRows; ++lane) {
        const auto quants = load<uint32_t>(group.row[lane] + 2 + 4 * vector);
        store<uint32_t>(destination + 64 * vector + 4 * lane, quants ^ 0x80808080u);
      }
    }
    gather_lanes<uint16_t>(group, 0, destination + Q8_0::kScales);
  }
}

void unpack_q8_0(const PackedMatrix& matrix, int64_t row, float* destination) {
  const int64_t lane = lane_of_row(row);
  const std::byte* group = panel_of_row(matrix, row);
  for (int64_t g = 0; g < matrix.columns / 32; ++g, group += Q8_0::kBytes, destination += 32) {
    const float d = f16_to_f32(load<uint16_t>(group + Q8_0::kScales + 2 * lane));
    for (int64_t column = 0; column < 32; ++column) {
      const auto q =
          std::to_integer<int>(group[column / 4 * 64 + lane * 4 + column % 4]) - Q8_0::kOffset;
      destination[column] = d * static_cast<float>(q);
    }
  }
}

}  // namespace invar::panel
