// Which kv_blocks are free, and how many owners each of the others has. Knows nothing of memory:
// the bytes are in cache/state_storage.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace invar {

// Ids are 0..count-1. Not thread-safe. Deterministic: the kv_block that was freed last is handed
// out first (its memory is resident, and likely in a CPU's cache), the never used ones ascending.
class KvBlockPool {
 public:
  explicit KvBlockPool(int64_t count);

  // A kv_block with one owner; empty if none is free.
  [[nodiscard]] std::optional<int32_t> allocate();
  // Adds an owner to a kv_block that has at least one.
  void retain(int32_t kv_block);
  // Takes one owner away; the kv_block is free when none is left.
  void release(int32_t kv_block);

  int64_t count() const { return static_cast<int64_t>(reference_counts_.size()); }
  int64_t free_count() const { return static_cast<int64_t>(free_.size()); }
  int64_t held_count() const { return count() - free_count(); }
  int32_t references(int32_t kv_block) const;

  // For tests: a description of the first broken invariant (every kv_block is either free, once, or
  // has owners), or an empty string.
  std::string check_integrity() const;

 private:
  std::vector<int32_t> reference_counts_;  // by kv_block; 0 means free
  std::vector<int32_t> free_;              // a stack
};

}  // namespace invar
