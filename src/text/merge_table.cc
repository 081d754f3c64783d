// Building the table.
#include "text/merge_table.h"

#include <algorithm>
#include <bit>

#include "core/error.h"

namespace invar {

MergeTable::MergeTable(size_t count)
    : entries_(std::bit_ceil(std::max<size_t>(count * 2, 2)), Merge{-1, -1, 0, 0}),
      mask_(entries_.size() - 1),
      shift_(static_cast<unsigned>(64 - std::countr_zero(entries_.size()))) {}

void MergeTable::add(const Merge& merge) {
  INVAR_CHECK(merge.left >= 0 && merge.right >= 0, "merge of {} and {}", merge.left, merge.right);
  size_t at = index_of(merge.left, merge.right);
  while (entries_[at].left >= 0 &&
         (entries_[at].left != merge.left || entries_[at].right != merge.right)) {
    at = (at + 1) & mask_;
  }
  if (entries_[at].left < 0) {
    ++size_;
    INVAR_CHECK(size_ * 2 <= entries_.size(), "more than {} merges", size_ - 1);
  }
  entries_[at] = merge;
}

}  // namespace invar
