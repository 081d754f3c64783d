// The merges of a BPE vocabulary: pair of token ids -> rank and resulting id. A flat hash table,
// since encoding looks up every adjacent pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace invar {

struct Merge {
  int32_t left;  // token ids
  int32_t right;
  int32_t rank;    // lower merges first
  int32_t merged;  // the token that replaces the pair
};

class MergeTable {
 public:
  // Room for `count` merges in all.
  explicit MergeTable(size_t count = 0);

  // Adds a merge; a later one for the same pair replaces the earlier. No more than `count`.
  void add(const Merge& merge);

  // The merge of this pair, or null.
  const Merge* find(int32_t left, int32_t right) const {
    for (size_t at = index_of(left, right);; at = (at + 1) & mask_) {
      const Merge& merge = entries_[at];
      if (merge.left == left && merge.right == right) {
        return &merge;
      }
      if (merge.left < 0) {
        return nullptr;
      }
    }
  }

  // Asks for the memory that find() and add() of this pair will touch.
  void prefetch(int32_t left, int32_t right) const {
    __builtin_prefetch(&entries_[index_of(left, right)]);
  }

  size_t size() const { return size_; }

 private:
  size_t index_of(int32_t left, int32_t right) const {
    const uint64_t key =
        (static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32) | static_cast<uint32_t>(right);
    return static_cast<size_t>((key * 0x9E3779B97F4A7C15u) >> shift_);
  }

  std::vector<Merge> entries_;  // left < 0: empty
  size_t mask_ = 0;
  unsigned shift_ = 0;
  size_t size_ = 0;
};

}  // namespace invar
