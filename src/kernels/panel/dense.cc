// Packs and unpacks plain floats.
#include "kernels/panel/dense.h"

#include "core/dtype.h"

namespace invar::panel {
namespace {

// Columns that are transposed together: a cache line of each row.
constexpr int64_t kStripBytes = 64;

template <class T>
void pack(SourceRows source, int64_t columns, std::byte* destination) {
  constexpr int64_t kStrip = kStripBytes / sizeof(T);
  for (int64_t begin = 0; begin < columns; begin += kStrip) {
    const int64_t end = begin + kStrip < columns ? begin + kStrip : columns;
    const GroupRows group(source, begin * static_cast<int64_t>(sizeof(T)));
    for (int64_t column = begin; column < end; ++column) {
      gather_lanes<T>(group, (column - begin) * static_cast<int64_t>(sizeof(T)),
                      destination + column * kPanelRows * static_cast<int64_t>(sizeof(T)));
    }
  }
}

template <class T, class Widen>
void unpack(const PackedMatrix& matrix, int64_t row, float* destination, Widen widen) {
  const std::byte* source =
      panel_of_row(matrix, row) + lane_of_row(row) * static_cast<int64_t>(sizeof(T));
  for (int64_t column = 0; column < matrix.columns; ++column) {
    destination[column] =
        widen(load<T>(source + column * kPanelRows * static_cast<int64_t>(sizeof(T))));
  }
}

}  // namespace

void pack_f32(SourceRows source, int64_t columns, std::byte* destination) {
  pack<uint32_t>(source, columns, destination);
}

void pack_f16(SourceRows source, int64_t columns, std::byte* destination) {
  pack<uint16_t>(source, columns, destination);
}

void unpack_f32(const PackedMatrix& matrix, int64_t row, float* destination) {
  unpack<float>(matrix, row, destination, [](float value) { return value; });
}

void unpack_f16(const PackedMatrix& matrix, int64_t row, float* destination) {
  unpack<uint16_t>(matrix, row, destination, f16_to_f32);
}

void unpack_bf16(const PackedMatrix& matrix, int64_t row, float* destination) {
  unpack<uint16_t>(matrix, row, destination, bf16_to_f32);
}

}  // namespace invar::panel
