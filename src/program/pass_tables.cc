// Filling of the pass tables: the only function that builds them.
#include "program/pass_tables.h"

#include <algorithm>

#include "backend/ops/kv_write.h"
#include "core/error.h"

namespace invar {
namespace {

// An index that no table may lead to: an op that used it would fault or fail a check.
constexpr int32_t kPoison = -0x40000000;

TensorView column(const std::vector<int32_t>& table, int64_t rows) {
  return dense_view(const_cast<int32_t*>(table.data()), DType::kI32, rows, 1);
}

}  // namespace

PassTables::PassTables(const PassLimits& limits)
    : limits_(limits),
      token_ids_(limits.rows_max),
      positions_(limits.rows_max),
      row_segment_(limits.rows_max),
      cu_rows_(limits.segments_max + 1),
      block_table_(limits.segments_max * limits.kv_blocks_max),
      logit_rows_(limits.logit_rows_max),
      state_pages_(limits.segments_max * limits.chunk_entries_max()),
      row_blocks_(limits.segments_max * limits.chunk_entries_max()),
      kv_write_from_(limits.segments_max),
      position_streams_(limits.rows_max) {
  INVAR_CHECK(limits.rows_max > 0 && limits.segments_max > 0 && limits.kv_blocks_max >= 0);
}

void PassTables::clear() {
  shape_ = {};
}

void PassTables::add(const PassSegment& segment) {
  const auto rows = static_cast<int64_t>(segment.token_ids.size());
  const auto kv_blocks = static_cast<int64_t>(segment.kv_blocks.size());
  INVAR_CHECK(rows > 0 && segment.first_position >= 0);
  INVAR_CHECK(shape_.rows + rows <= limits_.rows_max, "{} + {} rows", shape_.rows, rows);
  INVAR_CHECK(shape_.segments < limits_.segments_max, "{} segments", shape_.segments);
  INVAR_CHECK(segment.logit_rows >= 0 && segment.logit_rows <= rows);
  INVAR_CHECK(shape_.logit_rows + segment.logit_rows <= limits_.logit_rows_max);
  INVAR_CHECK(kv_blocks <= limits_.kv_blocks_max);
  const std::span<const PositionStreams> streams = segment.position_streams;
  INVAR_CHECK(streams.empty() || std::ssize(streams) == rows, "streams of {} rows", streams.size());
  INVAR_CHECK(
      limits_.kv_blocks_max == 0 || kv_blocks * kKvBlockRows >= segment.first_position + rows,
      "{} kv_blocks for {} positions", kv_blocks, segment.first_position + rows);

  for (int64_t i = 0; i < rows; ++i) {
    const auto position = static_cast<int32_t>(segment.first_position + i);
    token_ids_[shape_.rows + i] = segment.token_ids[i];
    positions_[shape_.rows + i] = position;
    position_streams_[shape_.rows + i] =
        streams.empty() ? PositionStreams{position, position, position} : streams[i];
    row_segment_[shape_.rows + i] = static_cast<int32_t>(shape_.segments);
  }
  std::copy(segment.kv_blocks.begin(), segment.kv_blocks.end(),
            block_table_.begin() + shape_.segments * limits_.kv_blocks_max);
  add_chunk_entries(segment.state_pages, state_pages_);
  add_chunk_entries(segment.row_blocks, row_blocks_);
  kv_write_from_[shape_.segments] = static_cast<int32_t>(segment.kv_write_from);
  for (int64_t i = rows - segment.logit_rows; i < rows; ++i) {
    logit_rows_[shape_.logit_rows++] = static_cast<int32_t>(shape_.rows + i);
  }
  cu_rows_[shape_.segments] = static_cast<int32_t>(shape_.rows);
  shape_.rows += rows;
  shape_.segments += 1;
  cu_rows_[shape_.segments] = static_cast<int32_t>(shape_.rows);
}

void PassTables::add_chunk_entries(std::span<const int32_t> entries,
                                   std::vector<int32_t>& table) const {
  INVAR_CHECK(static_cast<int64_t>(entries.size()) <= limits_.chunk_entries_max());
  const auto first = table.begin() + shape_.segments * limits_.chunk_entries_max();
  std::fill(std::copy(entries.begin(), entries.end(), first), first + limits_.chunk_entries_max(),
            kPoison);
}

TensorView PassTables::view(PassTable table) const {
  switch (table) {
    case PassTable::kTokenIds:
      return column(token_ids_, shape_.rows);
    case PassTable::kPositions:
      return column(positions_, shape_.rows);
    case PassTable::kRowSegment:
      return column(row_segment_, shape_.rows);
    case PassTable::kCuRows:
      return column(cu_rows_, shape_.segments + 1);
    case PassTable::kBlockTable:
      return dense_view(const_cast<int32_t*>(block_table_.data()), DType::kI32, shape_.segments,
                        limits_.kv_blocks_max);
    case PassTable::kLogitRows:
      return column(logit_rows_, shape_.logit_rows);
    case PassTable::kStatePages:
      return dense_view(const_cast<int32_t*>(state_pages_.data()), DType::kI32, shape_.segments,
                        limits_.chunk_entries_max());
    case PassTable::kRowBlocks:
      return dense_view(const_cast<int32_t*>(row_blocks_.data()), DType::kI32, shape_.segments,
                        limits_.chunk_entries_max());
    case PassTable::kKvWriteFrom:
      return column(kv_write_from_, shape_.segments);
    case PassTable::kPositionStreams:
      return dense_view(const_cast<PositionStreams*>(position_streams_.data()), DType::kI32,
                        shape_.rows, kRopeStreams);
  }
  INVAR_CHECK(false, "table {}", static_cast<int>(table));
  return {};
}

void PassTables::poison_unused() {
  std::fill(token_ids_.begin() + shape_.rows, token_ids_.end(), kPoison);
  std::fill(positions_.begin() + shape_.rows, positions_.end(), kPoison);
  std::fill(row_segment_.begin() + shape_.rows, row_segment_.end(), kPoison);
  std::fill(cu_rows_.begin() + shape_.segments + 1, cu_rows_.end(), kPoison);
  std::fill(logit_rows_.begin() + shape_.logit_rows, logit_rows_.end(), kPoison);
  std::fill(kv_write_from_.begin() + shape_.segments, kv_write_from_.end(), kPoison);
  std::fill(position_streams_.begin() + shape_.rows, position_streams_.end(),
            PositionStreams{kPoison, kPoison, kPoison});
  const auto poison_row = [](std::vector<int32_t>& table, int64_t row, int64_t width,
                             int64_t used) {
    std::fill(table.begin() + row * width + used, table.begin() + (row + 1) * width, kPoison);
  };
  for (int64_t i = 0; i < limits_.segments_max; ++i) {
    // Of a live segment's row, the entries past its own positions are unused.
    const bool live = i < shape_.segments;
    const int64_t end = live ? positions_[cu_rows_[i + 1] - 1] + 1 : 0;
    const int64_t chunk = live ? positions_[cu_rows_[i]] / kChunkRows : 0;
    const int64_t entries = limits_.chunk_entries_max();
    poison_row(block_table_, i, limits_.kv_blocks_max,
               std::min(limits_.kv_blocks_max, (end + kKvBlockRows - 1) / kKvBlockRows));
    poison_row(state_pages_, i, entries, live ? end / kChunkRows - chunk + 1 : 0);
    poison_row(row_blocks_, i, entries, (end + kChunkRows - 1) / kChunkRows - chunk);
  }
}

}  // namespace invar
