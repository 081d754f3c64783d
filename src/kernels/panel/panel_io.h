// What the packers of all weight formats share: reading rows of a file's groups, 16 at a time, and
// moving their pieces into lanes. Host code of the load path, not of the matrix products.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "kernels/weight_format.h"

namespace invar::panel {

using SourceRows = std::span<const std::byte* const, kPanelRows>;

// The group at `offset` bytes of each row. Absent rows read as zeros, which every format
// takes for weights of zero.
struct GroupRows {
  static constexpr std::array<std::byte, 256> kZeros{};
  std::array<const std::byte*, kPanelRows> row;

  GroupRows(SourceRows source, int64_t offset) {
    for (int64_t i = 0; i < kPanelRows; ++i) {
      row[i] = source[i] != nullptr ? source[i] + offset : kZeros.data();
    }
  }
};

template <class T>
T load(const std::byte* source) {
  T value;
  std::memcpy(&value, source, sizeof value);
  return value;
}

template <class T>
void store(std::byte* destination, T value) {
  std::memcpy(destination, &value, sizeof value);
}

// Lanes of one piece of each row's group: destination[lane] = row[lane] at `offset`.
template <class T>
void gather_lanes(const GroupRows& group, int64_t offset, std::byte* destination) {
  for (int64_t lane = 0; lane < kPanelRows; ++lane) {
    store<T>(destination + lane * sizeof(T), load<T>(group.row[lane] + offset));
  }
}

// Where the piece of `matrix` row `row` begins: its panel, and its lane in it.
inline const std::byte* panel_of_row(const PackedMatrix& matrix, int64_t row) {
  return matrix.data + row / kPanelRows * panel_bytes(matrix.format, matrix.columns);
}
inline int64_t lane_of_row(int64_t row) {
  return row % kPanelRows;
}

}  // namespace invar::panel
