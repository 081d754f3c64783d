// Packs and unpacks Q6_K.
#include "kernels/panel/q6_k.h"

#include "core/dtype.h"

namespace invar::panel {
namespace {

constexpr int64_t kFilePairs = 128;
constexpr int64_t kFileScales = 192;
constexpr int64_t kFileScale = 208;

void pack_part_nibbles(const GroupRows& group, int64_t part, std::byte* plane) {
  const int64_t offset = part / 4 * 64 + part % 2 * 32;
  const int shift = part % 4 < 2 ? 0 : 4;
  for (int64_t vector = 0; vector < 4; ++vector) {
    for (int64_t lane = 0; lane < kPanelRows; ++lane) {
      const std::byte* source = group.row[lane] + offset + 4 * vector;
      const uint32_t low = load<uint32_t>(source) >> shift & 0x0f0f0f0fu;
      const uint32_t high = load<uint32_t>(source + 16) >> shift & 0x0f0f0f0fu;
      store<uint32_t>(plane + 64 * vector + 4 * lane, low | high << 4);
    }
  }
}

void pack_part_pairs(const GroupRows& group, int64_t part, std::byte* plane) {
  const int64_t offset = kFilePairs + part / 4 * 32;
  const int shift = static_cast<int>(part % 4) * 2;
  for (int64_t vector = 0; vector < 2; ++vector) {
    for (int64_t lane = 0; lane < kPanelRows; ++lane) {
      uint32_t packed = 0;
      for (int64_t s = 0; s < 4; ++s) {
        const auto source = load<uint32_t>(group.row[lane] + offset + 16 * vector + 4 * s);
        packed |= (source >> shift & 0x03030303u) << (2 * s);
      }
      store<uint32_t>(plane + 64 * vector + 4 * lane, packed);
    }
  }
}

int bit_pair(const std::byte* plane, int64_t lane, int64_t column) {
  const auto byte = std::to_integer<int>(plane[column / 16 * 64 + lane * 4 + column % 4]);
  return byte >> (column % 16 / 4 * 2) & 3;
}

}  // namespace

void pack_q6_k(SourceRows source, int64_t columns, std::byte* destination) {
  for (int64_t g = 0; g < columns / 256; ++g, destination += Q6_K::kBytes) {
    const GroupRows group(source, g * Q6_K::kFileBytes);
    gather_lanes<uint16_t>(group, kFileScale, destination + Q6_K::kScales);
    for (int64_t i = 0; i < 16; ++i) {
      gather_lanes<uint8_t>(group, kFileScales + i,
                            destination + Q6_K::kPartScales + i * kPanelRows);
    }
    for (int64_t part = 0; part < Q6_K::kParts; ++part) {
      std::byte* quants = destination + Q6_K::kQuants + part * Q6_K::kPartBytes;
      pack_part_nibbles(group, part, quants);
      pack_part_pairs(group, part, quants + Q6_K::kPairPlane);
    }
  }
}

void unpack_q6_k(const PackedMatrix& matrix, int64_t row, float* destination) {
  const int64_t lane = lane_of_row(row);
  const std::byte* group = panel_of_row(matrix, row);
  for (int64_t g = 0; g < matrix.columns / 256; ++g, group += Q6_K::kBytes) {
    const float d = f16_to_f32(load<uint16_t>(group + Q6_K::kScales + 2 * lane));
    for (int64_t part = 0; part < Q6_K::kParts; ++part, destination += 32) {
      const std::byte* scales = group + Q6_K::kPartScales + part * Q6_K::kPartScaleBytes + lane;
      const std::byte* quants = group + Q6_K::kQuants + part * Q6_K::kPartBytes;
      for (int64_t column = 0; column < 32; ++column) {
        const float scale = d * static_cast<float>(load<int8_t>(scales + column / 16 * kPanelRows));
        const int q =
            nibble(quants, lane, column) | bit_pair(quants + Q6_K::kPairPlane, lane, column) << 4;
        destination[column] = scale * static_cast<float>(q - Q6_K::kOffset);
      }
    }
  }
}

}  // namespace invar::panel
