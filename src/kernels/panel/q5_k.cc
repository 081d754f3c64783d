// Packs and unpacks Q5_K.
#include "kernels/panel/q5_k.h"

namespace invar::panel {
namespace {

constexpr int64_t kFileTops = KScales::kFileBytes;
constexpr int64_t kFileNibbles = kFileTops + 32;

// Bit c is the top bit of column c of the part.
uint32_t top_bits(const std::byte* tops, int64_t part) {
  uint32_t word = 0;
  for (int64_t column = 0; column < 32; column += 4) {
    // The bit of four neighbours, at the bottom of each byte, drawn together by one multiplication.
    const uint32_t four = load<uint32_t>(tops + column) >> part & 0x01010101u;
    word |= (four * 0x01020408u >> 24 & 15u) << column;
  }
  return word;
}

}  // namespace

void pack_q5_k(SourceRows source, int64_t columns, std::byte* destination) {
  for (int64_t g = 0; g < columns / 256; ++g, destination += Q5_K::kBytes) {
    const GroupRows group(source, g * Q5_K::kFileBytes);
    pack_k_scales(group, destination);
    for (int64_t part = 0; part < KScales::kParts; ++part) {
      std::byte* planes = destination + Q5_K::kQuants + part * Q5_K::kPartBytes;
      pack_k_nibbles(group, kFileNibbles, part, planes);
      for (int64_t lane = 0; lane < kPanelRows; ++lane) {
        pack_bits(top_bits(group.row[lane] + kFileTops, part), lane, planes + kNibblePlaneBytes);
      }
    }
  }
}

void unpack_q5_k(const PackedMatrix& matrix, int64_t row, float* destination) {
  const int64_t lane = lane_of_row(row);
  const std::byte* group = panel_of_row(matrix, row);
  for (int64_t g = 0; g < matrix.columns / 256; ++g, group += Q5_K::kBytes) {
    for (int64_t part = 0; part < KScales::kParts; ++part, destination += 32) {
      const ScaleAndMin scales = k_scales_of(group, part, lane);
      const std::byte* planes = group + Q5_K::kQuants + part * Q5_K::kPartBytes;
      for (int64_t column = 0; column < 32; ++column) {
        destination[column] =
            scales.scale * static_cast<float>(five_bits(planes, lane, column)) - scales.min;
      }
    }
  }
}

}  // namespace invar::panel
