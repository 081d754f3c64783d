// Where the rows of a segment lie among chunks, state pages and row_blocks: the one reader of the
// tables that recurrent ops share. Everything is checked, as a wrong index would touch foreign
// memory.
#pragma once

#include <algorithm>

#include "backend/op.h"
#include "backend/ops/operand_rule.h"

namespace invar {

// Positions of a chunk, the unit of recurrent arithmetic, anchored at multiples of itself.
inline constexpr int64_t kChunkRows = 64;

// The rows of a segment that lie in one chunk.
struct ChunkPiece {
  int64_t begin;      // rows of the op
  int64_t end;        // more than begin
  int64_t place;      // of the first row within the chunk
  int64_t page;       // the state at the chunk's start; -1: zero
  int64_t row_block;  // of the chunk
  int64_t next_page;  // where the state at the chunk's end goes; -1 if its last row is not here
};

// Rows [begin, end) of an op are those of a segment.
struct RowRange {
  int64_t begin;
  int64_t end;
};

template <class Op>
RowRange segment_range(const Op& op, int64_t segment) {
  const RowRange rows{*op.cu_rows.template row<int32_t>(segment),
                      *op.cu_rows.template row<int32_t>(segment + 1)};
  INVAR_CHECK(rows.begin >= 0 && rows.begin <= rows.end && rows.end <= op.out.rows,
              "{}: segment {} has rows {}..{} of {}", Op::kName, segment, rows.begin, rows.end,
              op.out.rows);
  return rows;
}

// `limit` indices are valid, and -1 too where `none` is set.
inline int64_t chunk_entry(const char* op, const TensorView& table, int64_t segment, int64_t entry,
                           int64_t limit, bool none) {
  INVAR_CHECK(segment < table.rows && entry < table.columns,
              "{}: entry ({}, {}) of a table [{}, {}]", op, segment, entry, table.rows,
              table.columns);
  const int64_t index = table.row<int32_t>(segment)[entry];
  INVAR_CHECK((index >= 0 && index < limit) || (none && index == -1),
              "{}: entry ({}, {}) is {} of {}", op, segment, entry, index, limit);
  return index;
}

// Calls f(piece) for each chunk that the segment's rows touch, in order.
template <class Op, class Function>
void for_each_chunk(const Op& op, int64_t segment, Function f) {
  const RowRange rows = segment_range(op, segment);
  if (rows.begin == rows.end) {
    return;
  }
  const int64_t first = *op.positions.template row<int32_t>(rows.begin);
  const int64_t last = *op.positions.template row<int32_t>(rows.end - 1);
  INVAR_CHECK(first >= 0 && last - first == rows.end - 1 - rows.begin,
              "{}: {} rows at positions {}..{}", Op::kName, rows.end - rows.begin, first, last);
  const int64_t first_chunk = first / kChunkRows;
  for (int64_t position = first; position <= last;) {
    const int64_t chunk = position / kChunkRows;
    const int64_t entry = chunk - first_chunk;
    const int64_t end = std::min((chunk + 1) * kChunkRows, last + 1);
    ChunkPiece piece{
        .begin = rows.begin + position - first,
        .end = rows.begin + end - first,
        .place = position % kChunkRows,
        .page = chunk_entry(Op::kName, op.state_pages, segment, entry, op.pages.rows, chunk == 0),
        .row_block = chunk_entry(Op::kName, op.row_blocks, segment, entry, op.rows.rows, false),
        .next_page = -1};
    if (end % kChunkRows == 0) {
      piece.next_page =
          chunk_entry(Op::kName, op.state_pages, segment, entry + 1, op.pages.rows, false);
      INVAR_CHECK(piece.next_page != piece.page, "{}: page {} is read and written", Op::kName,
                  piece.page);
    }
    f(piece);
    position = end;
  }
}

// The operands that all recurrent ops have.
template <class Op>
void check_chunk_operands(const Op& op, int64_t page_columns, int64_t row_columns) {
  const int64_t rows = op.out.rows;
  INVAR_CHECK(op.cu_rows.rows >= 1, "{}: expected cu_rows of at least 1 row, found {}", Op::kName,
              op.cu_rows.rows);
  const int64_t segments = op.cu_rows.rows - 1;
  check_operand({Op::kName, "positions", kOnlyI32, rows, 1}, op.positions);
  check_operand({Op::kName, "cu_rows", kOnlyI32, segments + 1, 1}, op.cu_rows);
  check_operand({Op::kName, "state_pages", kOnlyI32, segments, op.state_pages.columns},
                op.state_pages);
  check_operand({Op::kName, "row_blocks", kOnlyI32, segments, op.row_blocks.columns},
                op.row_blocks);
  check_operand({Op::kName, "pages", kOnlyF32, op.pages.rows, page_columns}, op.pages);
  check_operand({Op::kName, "rows", kOnlyF32, op.rows.rows, row_columns * kChunkRows}, op.rows);
}

// What a pass must read and write of the state: a page for each segment's first row, the pending
// rows before it, the rows themselves, and a page for each chunk that ends.
template <class Op>
Cost chunk_cost(const Op& op, int64_t page_columns, int64_t row_columns) {
  Cost total;
  for (int64_t s = 0; s + 1 < op.cu_rows.rows; ++s) {
    for_each_chunk(op, s, [&](const ChunkPiece& piece) {
      const bool first = piece.begin == segment_range(op, s).begin;
      total.read_bytes += first && piece.page >= 0 ? page_columns * 4 : 0;
      total.read_bytes += piece.place * row_columns * 4;
      total.write_bytes += (piece.end - piece.begin) * row_columns * 4;
      total.write_bytes += piece.next_page >= 0 ? page_columns * 4 : 0;
    });
  }
  return total;
}

}  // namespace invar
