// The kv_blocks of one sequence, in order of position. Tables of forked sequences share kv_blocks;
// a shared one is copied before it is written, by whoever writes first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/ops/kv_write.h"
#include "cache/state_memory.h"

namespace invar {

// kv_blocks that hold `positions` positions.
inline int64_t kv_blocks_for(int64_t positions) {
  return (positions + kKvBlockRows - 1) / kKvBlockRows;
}

// Owns one reference to each of its kv_blocks; move-only. The memory must outlive it. It knows how
// many positions fit, not how many were computed. Not thread-safe. (Recurrent state is a table of
// its own beside this one: cache/recurrent_table.h; cache/sequence_state.h has both.)
class KvBlockTable {
 public:
  explicit KvBlockTable(StateMemory& memory) : memory_(&memory) {}
  ~KvBlockTable() { truncate(0); }
  KvBlockTable(KvBlockTable&& other) noexcept;
  KvBlockTable& operator=(KvBlockTable&& other) noexcept;
  KvBlockTable(const KvBlockTable&) = delete;
  KvBlockTable& operator=(const KvBlockTable&) = delete;

  std::span<const int32_t> kv_blocks() const { return kv_blocks_; }
  int64_t capacity_positions() const {
    return static_cast<int64_t>(kv_blocks_.size()) * kKvBlockRows;
  }

  // Positions [begin, end) are going to be written; `begin` is at most the computed count.
  struct Write {
    int64_t begin = 0;
    int64_t end = 0;
  };
  // Appends kv_blocks until `end` positions fit and copies shared ones that the write touches, so
  // that no other table sees it. False: the pool has too few free ones, and nothing changed.
  [[nodiscard]] bool prepare_write(const Write& write);
  // The free kv_blocks that prepare_write would take.
  int64_t kv_blocks_needed(const Write& write) const;

  // Releases the kv_blocks past `positions`.
  void truncate(int64_t positions);

  // A table that shares the kv_blocks of the first `positions` positions.
  KvBlockTable fork(int64_t positions) const;

 private:
  StateUnitPool& pool() const { return memory_->pool(StateUnit::kKvBlock); }

  StateMemory* memory_;
  std::vector<int32_t> kv_blocks_;
};

}  // namespace invar
