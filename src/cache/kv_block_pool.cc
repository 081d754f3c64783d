// Reference counts and the stack of free kv_blocks (kv_block_pool.h).
#include "cache/kv_block_pool.h"

#include <limits>

#include "core/error.h"

namespace invar {

KvBlockPool::KvBlockPool(int64_t count) {
  INVAR_CHECK(count > 0 && count <= std::numeric_limits<int32_t>::max(), "{} kv_blocks", count);
  reference_counts_.resize(count, 0);
  free_.reserve(count);
  for (int64_t id = count - 1; id >= 0; --id) {
    free_.push_back(static_cast<int32_t>(id));
  }
}

std::optional<int32_t> KvBlockPool::allocate() {
  if (free_.empty()) {
    return std::nullopt;
  }
  const int32_t kv_block = free_.back();
  free_.pop_back();
  INVAR_CHECK(reference_counts_[kv_block] == 0, "kv_block {} was free with owners", kv_block);
  reference_counts_[kv_block] = 1;
  return kv_block;
}

void KvBlockPool::retain(int32_t kv_block) {
  INVAR_CHECK(references(kv_block) > 0, "kv_block {} is free", kv_block);
  reference_counts_[kv_block] += 1;
}

void KvBlockPool::release(int32_t kv_block) {
  INVAR_CHECK(references(kv_block) > 0, "kv_block {} is free already", kv_block);
  reference_counts_[kv_block] -= 1;
  if (reference_counts_[kv_block] == 0) {
    free_.push_back(kv_block);
  }
}

int32_t KvBlockPool::references(int32_t kv_block) const {
  INVAR_CHECK(kv_block >= 0 && kv_block < count(), "kv_block {} of {}", kv_block, count());
  return reference_counts_[kv_block];
}

std::string KvBlockPool::check_integrity() const {
  std::vector<bool> listed(reference_counts_.size(), false);
  for (const int32_t kv_block : free_) {
    if (kv_block < 0 || kv_block >= count()) {
      return fmt::format("kv_block {} of {} is listed as free", kv_block, count());
    }
    if (listed[kv_block]) {
      return fmt::format("kv_block {} is listed as free twice", kv_block);
    }
    listed[kv_block] = true;
  }
  for (int64_t id = 0; id < count(); ++id) {
    if (listed[id] != (reference_counts_[id] == 0)) {
      return fmt::format("kv_block {} has {} owners and is {}", id, reference_counts_[id],
                         listed[id] ? "listed as free" : "not listed as free");
    }
  }
  return {};
}

}  // namespace invar
