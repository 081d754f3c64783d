// The state memory of a runner: the bytes of all units and who owns which. Sequences' tables
// (kv_block_table.h, recurrent_table.h) take their units here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "cache/state_storage.h"
#include "cache/state_unit_pool.h"

namespace invar {

// Not movable: tables point to it and must not outlive it. Not thread-safe.
class StateMemory {
 public:
  // Throws what StateStorage throws. Units that no buffer uses are not pooled.
  StateMemory(std::span<const StateBufferSpec> buffers, const StateCounts& counts);
  StateMemory(const StateMemory&) = delete;
  StateMemory& operator=(const StateMemory&) = delete;

  StateStorage& storage() { return storage_; }
  const StateStorage& storage() const { return storage_; }
  StateUnitPool& pool(StateUnit unit) { return pools_[static_cast<int>(unit)]; }
  const StateUnitPool& pool(StateUnit unit) const { return pools_[static_cast<int>(unit)]; }

  // Whether sequences have kv_blocks.
  bool has_paged_state() const { return storage_.uses(StateUnit::kKvBlock); }
  // Whether sequences have state_pages and row_blocks.
  bool has_recurrent_state() const {
    return storage_.uses(StateUnit::kStatePage) || storage_.uses(StateUnit::kRowBlock);
  }

  StateCounts counts() const { return storage_.counts(); }
  StateCounts free_counts() const;
  StateCounts held_counts() const;

  // A unit with one owner, which the caller knows to be free.
  int32_t allocate(StateUnit unit);

  // Adds an owner to a unit that has one already: what sequences, forks and snapshots do instead of
  // copying. Counted, for tests and reports.
  void share(StateUnit unit, int32_t id) {
    pool(unit).retain(id);
    referenced_[unit] += 1;
  }
  const StateCounts& referenced() const { return referenced_; }

  // Counts state_pages that passes have written; for tests and bench.
  void add_pages_written(int64_t count) { pages_written_ += count; }
  int64_t pages_written() const { return pages_written_; }

  // For tests of the law: every unit is poisoned when it is handed out, so that a read of what its
  // owner did not write shows.
  void poison_allocated(bool poison) { poison_allocated_ = poison; }

  // For tests: the pools' first broken invariant, or an empty string.
  std::string check_integrity() const;

 private:
  StateStorage storage_;
  std::array<StateUnitPool, kStateUnits.size()> pools_;
  StateCounts referenced_;
  int64_t pages_written_ = 0;
  bool poison_allocated_ = false;
};

}  // namespace invar
