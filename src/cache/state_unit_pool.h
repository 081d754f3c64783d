// Which units of one kind are free (kv_blocks, state_pages or row_blocks), and how many owners each
// of the others has. Knows nothing of memory: the bytes are in cache/state_storage.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/state_unit.h"

namespace invar {

// Ids are 0..count-1. Not thread-safe. Deterministic: the unit that was freed last is handed out
// first (its memory is resident, and likely in a CPU's cache), the never used ones ascending.
class StateUnitPool {
 public:
  // A count of 0 is a pool that never has a free unit.
  StateUnitPool(StateUnit unit, int64_t count);

  // A unit with one owner; empty if none is free.
  [[nodiscard]] std::optional<int32_t> allocate();
  // Adds an owner to a unit that has at least one.
  void retain(int32_t id);
  // Takes one owner away; the unit is free when none is left.
  void release(int32_t id);

  StateUnit unit() const { return unit_; }
  int64_t count() const { return static_cast<int64_t>(reference_counts_.size()); }
  int64_t free_count() const { return static_cast<int64_t>(free_.size()); }
  int64_t held_count() const { return count() - free_count(); }
  int32_t references(int32_t id) const;

  // For tests: a description of the first broken invariant (every unit is either free, once, or has
  // owners), or an empty string.
  std::string check_integrity() const;

 private:
  StateUnit unit_;
  std::vector<int32_t> reference_counts_;  // by id; 0 means free
  std::vector<int32_t> free_;              // a stack
};

}  // namespace invar
