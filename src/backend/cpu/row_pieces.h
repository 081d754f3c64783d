// Cuts rows into pieces that can be dealt to lanes, where no piece depends on another, so that the
// cut changes no bit: columns of an elementwise op, heads of a row, groups of a row.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backend/op.h"

namespace invar {

struct RowPiece {
  int64_t row;
  int64_t begin;    // first column
  int64_t columns;  // at least 1
};

class RowPieces {
 public:
  // Long enough to hide the call (tens of nanoseconds of work), short enough to share one row.
  static constexpr int64_t kColumns = 1024;

  RowPieces(int64_t rows, int64_t columns)
      : rows_(rows), columns_(columns), per_row_((columns + kColumns - 1) / kColumns) {}

  int64_t count() const { return rows_ * per_row_; }
  RowPiece operator[](int64_t item) const {
    const int64_t begin = item % per_row_ * kColumns;
    return {item / per_row_, begin, std::min(kColumns, columns_ - begin)};
  }

 private:
  int64_t rows_;
  int64_t columns_;
  int64_t per_row_;
};

// Calls f(piece) for each piece of rows x columns in this lane's share.
template <class Function>
void for_each_row_piece(const Stream& stream, int64_t rows, int64_t columns, Function f) {
  const RowPieces pieces(rows, columns);
  const LaneRange range = lane_range(stream, pieces.count());
  for (int64_t item = range.begin; item < range.end; ++item) {
    f(pieces[item]);
  }
}

// This lane's part of `count` neighbours of a segment (heads, channels). From segment to segment
// the lanes change places, so that what does not divide evenly falls on all of them.
inline LaneRange segment_share(const Stream& stream, int64_t segment, int64_t count) {
  const auto place = static_cast<int>((stream.lane + segment) % stream.lanes);
  return lane_range({.lane = place, .lanes = stream.lanes}, count);
}

// Walks this lane's share of rows x parts items. Calls f(row, first_part, parts) once for each row
// that the share touches.
template <class Function>
void for_each_row_run(const LaneRange& range, int64_t parts_per_row, Function f) {
  for (int64_t item = range.begin; item < range.end;) {
    const int64_t row = item / parts_per_row;
    const int64_t first = item - row * parts_per_row;
    const int64_t parts = std::min(parts_per_row - first, range.end - item);
    f(row, first, parts);
    item += parts;
  }
}

}  // namespace invar
