// The 4-bit plane that Q4_0, Q4_1, Q4_K and Q6_K share: 32 columns of 16 rows as four vectors of 64
// bytes. Byte 4 * lane + i of vector v holds column 4 * v + i in its low nibble and column
// 16 + 4 * v + i in its high nibble, so a masked vector is what a dot product of bytes reads.
#pragma once

#include "kernels/panel/panel_io.h"

namespace invar::panel {

inline constexpr int64_t kNibblePlaneBytes = 256;

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

}  // namespace invar::panel
