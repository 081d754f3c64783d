// Cuts the rows of an elementwise op into pieces that can be dealt to lanes. No element depends on
// another, so the cut changes no bit.
#pragma once

#include <algorithm>
#include <cstdint>

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

}  // namespace invar
