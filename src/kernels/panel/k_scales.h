// What Q4_K and Q5_K share: 256 columns with f16 d and dmin, and for each of eight parts of 32
// columns a 6-bit scale and minimum. In the file: d, dmin, then 12 bytes with the eight pairs. In a
// panel: f16 d [16], f16 dmin [16], then for each part u8 scale [16] and u8 minimum [16]. The wider
// numbers add 2 to 3 % to the file's form and spare the kernels the unpacking.
#pragma once

#include "core/dtype.h"
#include "kernels/panel/panel_io.h"

namespace invar::panel {

struct KScales {
  static constexpr int64_t kFileBytes = 16;
  static constexpr int64_t kParts = 8;
  static constexpr int64_t kScales = 0;
  static constexpr int64_t kMins = 32;
  static constexpr int64_t kPartScales = 64;  // stride kPartScaleBytes: scale [16], minimum [16]
  static constexpr int64_t kPartScaleBytes = 32;
  static constexpr int64_t kBytes = kPartScales + kParts * kPartScaleBytes;
};

void pack_k_scales(const GroupRows& group, std::byte* destination);

struct ScaleAndMin {
  float scale;  // d * scale, exact
  float min;    // dmin * minimum, exact
};
ScaleAndMin k_scales_of(const std::byte* panel_group, int64_t part, int64_t lane);

// Nibbles of a part of 32 columns. The file's bytes at `offset` pair column i of one part with
// column i of the next; the plane pairs columns i and i + 16 of one part.
void pack_k_nibbles(const GroupRows& group, int64_t offset, int64_t part, std::byte* plane);

}  // namespace invar::panel
