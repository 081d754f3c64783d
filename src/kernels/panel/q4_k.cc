// Packs and unpacks Q4_K.
#include "kernels/panel/q4_k.h"

#include "core/dtype.h"

namespace invar::panel {
namespace {

constexpr int64_t kFileScales = 4;
constexpr int64_t kFileQuants = 16;

struct ScaleAndMin {
  uint8_t scale;
  uint8_t min;
};

// The 12 bytes hold eight pairs of 6-bit numbers: parts 0..3 whole in the low six bits of bytes
// part (scale) and part + 4 (minimum); parts 4..7 with four bits in the nibbles of byte part + 4
// and their top two bits in the top of bytes part - 4 and part.
ScaleAndMin scale_and_min(const std::byte* packed, int64_t part) {
  const auto byte = [packed](int64_t i) { return std::to_integer<unsigned>(packed[i]); };
  if (part < 4) {
    return {static_cast<uint8_t>(byte(part) & 63u), static_cast<uint8_t>(byte(part + 4) & 63u)};
  }
  return {static_cast<uint8_t>((byte(part + 4) & 15u) | (byte(part - 4) >> 6 << 4)),
          static_cast<uint8_t>((byte(part + 4) >> 4) | (byte(part) >> 6 << 4))};
}

// The file pairs column i of one part with column i of the next in a byte; the plane pairs columns
// i and i + 16 of one part.
void pack_part_nibbles(const GroupRows& group, int64_t part, std::byte* plane) {
  const int64_t offset = kFileQuants + part / 2 * 32;
  const int shift = part % 2 == 0 ? 0 : 4;
  for (int64_t vector = 0; vector < 4; ++vector) {
    for (int64_t lane = 0; lane < kPanelRows; ++lane) {
      const std::byte* source = group.row[lane] + offset + 4 * vector;
      const uint32_t low = load<uint32_t>(source) >> shift & 0x0f0f0f0fu;
      const uint32_t high = load<uint32_t>(source + 16) >> shift & 0x0f0f0f0fu;
      store<uint32_t>(plane + 64 * vector + 4 * lane, low | high << 4);
    }
  }
}

}  // namespace

void pack_q4_k(SourceRows source, int64_t columns, std::byte* destination) {
  for (int64_t g = 0; g < columns / 256; ++g, destination += Q4_K::kBytes) {
    const GroupRows group(source, g * Q4_K::kFileBytes);
    gather_lanes<uint16_t>(group, 0, destination + Q4_K::kScales);
    gather_lanes<uint16_t>(group, 2, destination + Q4_K::kMins);
    for (int64_t part = 0; part < Q4_K::kParts; ++part) {
      std::byte* scales = destination + Q4_K::kPartScales + part * Q4_K::kPartScaleBytes;
      for (int64_t lane = 0; lane < kPanelRows; ++lane) {
        const ScaleAndMin pair = scale_and_min(group.row[lane] + kFileScales, part);
        store<uint8_t>(scales + lane, pair.scale);
        store<uint8_t>(scales + kPanelRows + lane, pair.min);
      }
      pack_part_nibbles(group, part, destination + Q4_K::kQuants + part * kNibblePlaneBytes);
    }
  }
}

void unpack_q4_k(const PackedMatrix& matrix, int64_t row, float* destination) {
  const int64_t lane = lane_of_row(row);
  const std::byte* group = panel_of_row(matrix, row);
  for (int64_t g = 0; g < matrix.columns / 256; ++g, group += Q4_K::kBytes) {
    const float d = f16_to_f32(load<uint16_t>(group + Q4_K::kScales + 2 * lane));
    const float dmin = f16_to_f32(load<uint16_t>(group + Q4_K::kMins + 2 * lane));
    for (int64_t part = 0; part < Q4_K::kParts; ++part, destination += 32) {
      const std::byte* scales = group + Q4_K::kPartScales + part * Q4_K::kPartScaleBytes + lane;
      const float scale = d * static_cast<float>(load<uint8_t>(scales));
      const float min = dmin * static_cast<float>(load<uint8_t>(scales + kPanelRows));
      const std::byte* plane = group + Q4_K::kQuants + part * kNibblePlaneBytes;
      for (int64_t column = 0; column < 32; ++column) {
        destination[column] = scale * static_cast<float>(nibble(plane, lane, column)) - min;
      }
    }
  }
}

}  // namespace invar::panel
