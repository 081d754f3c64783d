// Where a position of a sequence lives in the paged cache: the block tables' one reader.
#pragma once

#include "backend/ops/kv_write.h"

namespace invar {

struct KvPlace {
  int64_t kv_block;
  int64_t place;  // 0..63 within the kv_block
};

// A block table's entry for a position is `table[position / 64]`. Checked: an index out of range
// would read or write foreign memory.
inline KvPlace kv_place(const TensorView& block_table, int64_t segment, int64_t position,
                        int64_t kv_blocks) {
  INVAR_CHECK(segment >= 0 && segment < block_table.rows, "segment {} of {}", segment,
              block_table.rows);
  INVAR_CHECK(position >= 0 && position / kKvBlockRows < block_table.columns,
              "position {} of a table for {} kv_blocks", position, block_table.columns);
  const int64_t kv_block = block_table.row<int32_t>(segment)[position / kKvBlockRows];
  INVAR_CHECK(kv_block >= 0 && kv_block < kv_blocks, "kv_block {} of {}", kv_block, kv_blocks);
  return {kv_block, position % kKvBlockRows};
}

inline KvPlace kv_place(const KvWrite& op, int64_t row) {
  return kv_place(op.block_table, *op.row_segment.row<int32_t>(row),
                  *op.positions.row<int32_t>(row), op.k_cache.rows);
}

// Whether kv_write stores the row; its segment was checked by kv_place.
inline bool is_written(const KvWrite& op, int64_t row) {
  return !op.write_from || *op.positions.row<int32_t>(row) >=
                               *op.write_from.row<int32_t>(*op.row_segment.row<int32_t>(row));
}

}  // namespace invar
