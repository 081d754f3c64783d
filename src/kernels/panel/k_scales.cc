// Packs and unpacks the parts that Q4_K and Q5_K share.
#include "kernels/panel/k_scales.h"

namespace invar::panel {
namespace {

constexpr int64_t kFilePairs = 4;

struct PackedPair {
  uint8_t scale;
  uint8_t min;
};

// The 12 bytes hold eight pairs of 6-bit numbers: parts 0..3 whole in the low six bits of bytes
// part (scale) and part + 4 (minimum); parts 4..7 with four bits in the nibbles of byte part + 4
// and their top two bits in the top of bytes part - 4 and part.
PackedPair pair_of(const std::byte* packed, int64_t part) {
  const auto byte = [packed](int64_t i) { return std::to_integer<unsigned>(packed[i]); };
  if (part < 4) {
    return {static_cast<uint8_t>(byte(part) & 63u), static_cast<uint8_t>(byte(part + 4) & 63u)};
  }
  return {static_cast<uint8_t>((byte(part + 4) & 15u) | (byte(part - 4) >> 6 << 4)),
          static_cast<uint8_t>((byte(part + 4) >> 4) | (byte(part) >> 6 << 4))};
}

}  // namespace

void pack_k_scales(const GroupRows& group, std::byte* destination) {
  gather_lanes<uint16_t>(group, 0, destination + KScales::kScales);
  gather_lanes<uint16_t>(group, 2, destination + KScales::kMins);
  for (int64_t part = 0; part < KScales::kParts; ++part) {
    std::byte* scales = destination + KScales::kPartScales + part * KScales::kPartScaleBytes;
    for (int64_t lane = 0; lane < kPanelRows; ++lane) {
      const PackedPair pair = pair_of(group.row[lane] + kFilePairs, part);
      store<uint8_t>(scales + lane, pair.scale);
      store<uint8_t>(scales + kPanelRows + lane, pair.min);
    }
  }
}

ScaleAndMin k_scales_of(const std::byte* panel_group, int64_t part, int64_t lane) {
  const float d = f16_to_f32(load<uint16_t>(panel_group + KScales::kScales + 2 * lane));
  const float dmin = f16_to_f32(load<uint16_t>(panel_group + KScales::kMins + 2 * lane));
  const std::byte* pair =
      panel_group + KScales::kPartScales + part * KScales::kPartScaleBytes + lane;
  return {.scale = d * static_cast<float>(load<uint8_t>(pair)),
          .min = dmin * static_cast<float>(load<uint8_t>(pair + kPanelRows))};
}

void pack_k_nibbles(const GroupRows& group, int64_t offset, int64_t part, std::byte* plane) {
  const int shift = part % 2 == 0 ? 0 : 4;
  for (int64_t vector = 0; vector < 4; ++vector) {
    for (int64_t lane = 0; lane < kPanelRows; ++lane) {
      const std::byte* source = group.row[lane] + offset + part / 2 * 32 + 4 * vector;
      const uint32_t low = load<uint32_t>(source) >> shift & 0x0f0f0f0fu;
      const uint32_t high = load<uint32_t>(source + 16) >> shift & 0x0f0f0f0fu;
      store<uint32_t>(plane + 64 * vector + 4 * lane, low | high << 4);
    }
  }
}

}  // namespace invar::panel
