// Packs and unpacks MXFP4.
#include "kernels/panel/mxfp4.h"

#include <algorithm>
#include <bit>

namespace invar::panel {
namespace {

constexpr float kValues[16] = {0.0f,  0.5f,  1.0f,  1.5f,  2.0f,  3.0f,  4.0f,  6.0f,
                               -0.0f, -0.5f, -1.0f, -1.5f, -2.0f, -3.0f, -4.0f, -6.0f};

constexpr uint64_t kLowNibbles = 0x0f0f0f0f0f0f0f0full;

// The low nibbles of eight bytes side by side.
uint32_t gather_nibbles(uint64_t bytes) {
  bytes &= kLowNibbles;
  bytes = (bytes | bytes >> 4) & 0x00ff00ff00ff00ffull;
  bytes = (bytes | bytes >> 8) & 0x0000ffff0000ffffull;
  return static_cast<uint32_t>(bytes | bytes >> 16);
}

// Its inverse: each nibble in a byte of its own.
uint64_t spread_nibbles(uint32_t word) {
  uint64_t bytes = word;
  bytes = (bytes | bytes << 16) & 0x0000ffff0000ffffull;
  bytes = (bytes | bytes << 8) & 0x00ff00ff00ff00ffull;
  return (bytes | bytes << 4) & kLowNibbles;
}

// 2^(e - 127); e = 0 is a subnormal number.
float scale_of(std::byte e) {
  return std::bit_cast<float>(std::max(std::to_integer<uint32_t>(e) << 23, 0x00400000u));
}

}  // namespace

void pack_mxfp4(SourceRows source, int64_t columns, std::byte* destination) {
  for (int64_t g = 0; g < columns / 32; ++g, destination += Mxfp4::kBytes) {
    const GroupRows group(source, g * Mxfp4::kFileBytes);
    for (int64_t lane = 0; lane < kPanelRows; ++lane) {
      for (int64_t half = 0; half < 2; ++half) {
        const auto bytes = load<uint64_t>(group.row[lane] + 1 + 8 * half);
        store(destination + 64 * half + 4 * lane, gather_nibbles(bytes));
        store(destination + 64 * (half + 2) + 4 * lane, gather_nibbles(bytes >> 4));
      }
      destination[Mxfp4::kScales + lane] = group.row[lane][0];
    }
  }
}

void unpack_mxfp4(const PackedMatrix& matrix, int64_t row, float* destination) {
  const int64_t lane = lane_of_row(row);
  const std::byte* group = panel_of_row(matrix, row);
  for (int64_t g = 0; g < matrix.columns / 32; ++g, group += Mxfp4::kBytes, destination += 32) {
    const float scale = scale_of(group[Mxfp4::kScales + lane]);
    for (int64_t column = 0; column < 32; ++column) {
      const auto word = load<uint32_t>(group + 64 * (column / 8) + 4 * lane);
      destination[column] = kValues[word >> (column % 8 * 4) & 15] * scale;
    }
  }
}

void join_mxfp4_group(const std::byte* nibbles, std::byte scale, std::byte* group) {
  group[0] = scale;
  for (int64_t half = 0; half < 2; ++half) {
    const uint64_t low = spread_nibbles(load<uint32_t>(nibbles + 4 * half));
    const uint64_t high = spread_nibbles(load<uint32_t>(nibbles + 4 * (half + 2)));
    store(group + 1 + 8 * half, low | high << 4);
  }
}

}  // namespace invar::panel
