// The planes of 4 bits and of 1 bit that formats share, each of 32 columns of 16 rows.
//
// Nibble plane: four vectors of 64 bytes. Byte 4 * lane + i of vector v holds column 4 * v + i in
// its low nibble and column 16 + 4 * v + i in its high nibble, so a masked vector is what a dot
// product of bytes reads. Bit plane: one vector of 64 bytes. Bit v of byte 4 * lane + i belongs to
// column 4 * v + i.
#pragma once

#include "kernels/panel/panel_io.h"

namespace invar::panel {

inline constexpr int64_t kNibblePlaneBytes = 256;
inline constexpr int64_t kBitPlaneBytes = 64;
// Weights of 5 bits: a nibble plane, then the bit plane of their top bits.
inline constexpr int64_t kFiveBitsBytes = kNibblePlaneBytes + kBitPlaneBytes;

// From 16 bytes of each row that hold columns i (low) and i + 16 (high).
inline void pack_nibbles(const GroupRows& group, int64_t offset, std::byte* destination) {
  for (int64_t vector = 0; vector < 4; ++vector) {
    gather_lanes<uint32_t>(group, offset + 4 * vector, destination + 64 * vector);
  }
}

// The nibble of `column` (0..31) of `lane`.
inline int nibble(const std::byte* plane, int64_t lane, int64_t column) {
  const auto byte = std::to_integer<int>(plane[column % 16 / 4 * 64 + lane * 4 + column % 4]);
  return column < 16 ? byte & 15 : byte >> 4;
}

// From a word of a row whose bit c belongs to column c.
inline void pack_bits(uint32_t word, int64_t lane, std::byte* plane) {
  for (int i = 0; i < 4; ++i) {
    // Every fourth bit, gathered in the lowest byte by halving the gaps.
    uint32_t bits = word >> i & 0x11111111u;
    bits = (bits | bits >> 3) & 0x03030303u;
    bits = (bits | bits >> 6) & 0x000f000fu;
    bits = (bits | bits >> 12) & 0x000000ffu;
    plane[4 * lane + i] = static_cast<std::byte>(bits);
  }
}

inline int bit(const std::byte* plane, int64_t lane, int64_t column) {
  return std::to_integer<int>(plane[4 * lane + column % 4]) >> (column / 4) & 1;
}

inline int five_bits(const std::byte* planes, int64_t lane, int64_t column) {
  return nibble(planes, lane, column) | bit(planes + kNibblePlaneBytes, lane, column) << 4;
}

}  // namespace invar::panel
