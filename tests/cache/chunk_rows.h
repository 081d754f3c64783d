// Test support: what a recurrent layer does, in numbers that can be checked. A row stores its token
// id in the row_block and reads, through page and row_blocks of its chunk, the hash of all ids up
// to its own; the chunk's last row writes that hash as the next page. So a wrong page, row_block or
// copy gives another hash.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cache/sequence_state.h"

namespace invar {

// 64 bits that depend on all bits of both numbers.
inline uint64_t mix_bits(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// The hash of a prefix, by definition.
inline uint64_t hash_of(std::span<const int32_t> token_ids) {
  uint64_t state = 0;
  for (const int32_t id : token_ids) {
    state = mix_bits(state, static_cast<uint64_t>(id));
  }
  return state;
}

inline const std::vector<StateBufferSpec>& chunk_row_buffers() {
  static const std::vector<StateBufferSpec> buffers = {
      {.name = "token ids", .dtype = DType::kI32, .columns = kKvBlockRows},
      {.name = "pages", .dtype = DType::kI32, .columns = 2, .unit = StateUnit::kStatePage},
      {.name = "rows", .dtype = DType::kI32, .columns = kChunkRows, .unit = StateUnit::kRowBlock},
  };
  return buffers;
}

// The tables of one segment.
struct ChunkTables {
  int64_t first_position = 0;
  std::span<const int32_t> kv_blocks;
  std::span<const int32_t> state_pages;
  std::span<const int32_t> row_blocks;
  int64_t kv_write_from = 0;
};

// Computes one row at `position` and returns the hash that it sees, or another number if its paged
// and its recurrent state disagree. Without buffers of pages there is paged state alone.
inline uint64_t compute_row(const StateStorage& storage, const ChunkTables& tables,
                            int64_t position, int32_t token_id) {
  const auto kv_cell = [&](int64_t p) {
    return storage.buffers()[0].row<int32_t>(tables.kv_blocks[p / kKvBlockRows]) + p % kKvBlockRows;
  };
  if (position >= tables.kv_write_from) {
    *kv_cell(position) = token_id;
  }
  uint64_t paged = 0;
  for (int64_t p = 0; p <= position; ++p) {
    paged = mix_bits(paged, static_cast<uint64_t>(*kv_cell(p)));
  }
  if (storage.buffers().size() == 1) {
    return paged;
  }
  const auto entry =
      static_cast<size_t>(position / kChunkRows - tables.first_position / kChunkRows);
  auto* rows = storage.buffers()[2].row<int32_t>(tables.row_blocks[entry]);
  const int64_t place = position % kChunkRows;
  rows[place] = token_id;
  uint64_t recurrent = 0;
  if (tables.state_pages[entry] >= 0) {
    recurrent = *storage.buffers()[1].row<uint64_t>(tables.state_pages[entry]);
  } else {
    INVAR_CHECK(position < kChunkRows, "the zero state at {}", position);
  }
  for (int64_t i = 0; i <= place; ++i) {
    recurrent = mix_bits(recurrent, static_cast<uint64_t>(rows[i]));
  }
  if (place == kChunkRows - 1) {
    *storage.buffers()[1].row<uint64_t>(tables.state_pages[entry + 1]) = recurrent;
  }
  return paged == recurrent ? paged : mix_bits(paged, recurrent);
}

}  // namespace invar
