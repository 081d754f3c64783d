// Sequences with a paged cache, as kv_write and attention see them: segments with first positions,
// kv_blocks in a shuffled order, and some that belong to nobody.
#pragma once

#include <algorithm>
#include <numeric>

#include "backend/ops/kv_write.h"
#include "conformance/op_case.h"

namespace invar::conformance {

struct SegmentSizes {
  int32_t first_position;
  int32_t rows;
};

struct PagedSequences {
  std::vector<int32_t> positions;    // one a row
  std::vector<int32_t> row_segment;  // one a row
  std::vector<int32_t> cu_rows;
  std::vector<std::vector<int32_t>> block_tables;  // one a segment, all of one length
  int64_t kv_blocks = 0;

  int64_t rows() const { return static_cast<int64_t>(positions.size()); }
  int64_t segments() const { return static_cast<int64_t>(block_tables.size()); }
  int64_t table_columns() const {
    return block_tables.empty() ? 1 : static_cast<int64_t>(block_tables[0].size());
  }
};

inline PagedSequences paged_sequences(const std::vector<SegmentSizes>& segments) {
  PagedSequences paged;
  paged.cu_rows.push_back(0);
  int64_t columns = 1;
  int64_t used = 0;
  for (const SegmentSizes& segment : segments) {
    const int64_t needed =
        (segment.first_position + segment.rows + kKvBlockRows - 1) / kKvBlockRows;
    columns = std::max(columns, needed);
    used += needed;
    const auto index = static_cast<int32_t>(paged.cu_rows.size() - 1);
    for (int32_t i = 0; i < segment.rows; ++i) {
      paged.positions.push_back(segment.first_position + i);
      paged.row_segment.push_back(index);
    }
    paged.cu_rows.push_back(paged.cu_rows.back() + segment.rows);
  }
  paged.kv_blocks = used + 2;  // two belong to nobody
  std::vector<int32_t> order(paged.kv_blocks);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(7);
  std::shuffle(order.begin(), order.end(), random);
  for (const SegmentSizes& segment : segments) {
    const int64_t needed =
        (segment.first_position + segment.rows + kKvBlockRows - 1) / kKvBlockRows;
    std::vector<int32_t>& table = paged.block_tables.emplace_back(columns, -1);
    for (int64_t i = 0; i < needed; ++i) {
      table[i] = order.back();
      order.pop_back();
    }
  }
  return paged;
}

inline TensorView add_column(Memory& memory, const std::vector<int32_t>& values) {
  const TensorView view = memory.add({DType::kI32, static_cast<int64_t>(values.size()), 1});
  set_column(view, values);
  return view;
}

// Entries behind a sequence's last kv_block stay poison.
inline TensorView add_block_tables(Memory& memory, const PagedSequences& paged) {
  const TensorView view = memory.add({DType::kI32, paged.segments(), paged.table_columns()});
  for (int64_t s = 0; s < paged.segments(); ++s) {
    std::ranges::copy(paged.block_tables[s], view.row<int32_t>(s));
  }
  return view;
}

}  // namespace invar::conformance
