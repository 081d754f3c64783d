// Growing, copying on write, truncating and forking (kv_block_table.h).
#include "cache/kv_block_table.h"

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace invar {

KvBlockTable::KvBlockTable(KvBlockTable&& other) noexcept
    : memory_(other.memory_), kv_blocks_(std::exchange(other.kv_blocks_, {})) {}

KvBlockTable& KvBlockTable::operator=(KvBlockTable&& other) noexcept {
  if (this != &other) {
    truncate(0);
    memory_ = other.memory_;
    kv_blocks_ = std::exchange(other.kv_blocks_, {});
  }
  return *this;
}

int64_t KvBlockTable::kv_blocks_needed(const Write& write) const {
  INVAR_CHECK(write.begin >= 0 && write.begin <= write.end, "write of [{}, {})", write.begin,
              write.end);
  const auto held = static_cast<int64_t>(kv_blocks_.size());
  const int64_t wanted = kv_blocks_for(write.end);
  int64_t needed = std::max<int64_t>(0, wanted - held);
  for (int64_t i = write.begin / kKvBlockRows; i < std::min(held, wanted); ++i) {
    needed += pool().references(kv_blocks_[i]) > 1 ? 1 : 0;
  }
  return needed;
}

bool KvBlockTable::prepare_write(const Write& write) {
  INVAR_CHECK(write.begin <= capacity_positions(), "write at {} of {}", write.begin,
              capacity_positions());
  if (kv_blocks_needed(write) > pool().free_count()) {
    return false;
  }
  const auto held = static_cast<int64_t>(kv_blocks_.size());
  const int64_t wanted = kv_blocks_for(write.end);
  for (int64_t i = write.begin / kKvBlockRows; i < std::min(held, wanted); ++i) {
    const int32_t shared = kv_blocks_[i];
    if (pool().references(shared) == 1) {
      continue;
    }
    kv_blocks_[i] = memory_->allocate(StateUnit::kKvBlock);
    // Rows before the write must be kept; a kv_block that is rewritten from its start has none.
    if (i * kKvBlockRows < write.begin) {
      memory_->storage().copy({.unit = StateUnit::kKvBlock, .from = shared, .to = kv_blocks_[i]});
    }
    pool().release(shared);
  }
  for (int64_t i = held; i < wanted; ++i) {
    kv_blocks_.push_back(memory_->allocate(StateUnit::kKvBlock));
  }
  return true;
}

void KvBlockTable::truncate(int64_t positions) {
  INVAR_CHECK(positions >= 0, "{} positions", positions);
  // From the end: the pool then hands the same ids out in the same order again.
  while (static_cast<int64_t>(kv_blocks_.size()) > kv_blocks_for(positions)) {
    pool().release(kv_blocks_.back());
    kv_blocks_.pop_back();
  }
}

KvBlockTable KvBlockTable::fork(int64_t positions) const {
  INVAR_CHECK(positions >= 0 && positions <= capacity_positions(), "fork at {} of {}", positions,
              capacity_positions());
  KvBlockTable copy(*memory_);
  copy.kv_blocks_.assign(kv_blocks_.begin(), kv_blocks_.begin() + kv_blocks_for(positions));
  for (const int32_t kv_block : copy.kv_blocks_) {
    memory_->share(StateUnit::kKvBlock, kv_block);
  }
  return copy;
}

}  // namespace invar
