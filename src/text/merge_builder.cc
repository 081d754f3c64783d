// Each step runs over a whole batch and asks for the memory that the next step will read.
#include "text/merge_builder.h"

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "formats/printable.h"

namespace invar {

MergeBuilder::MergeBuilder(const Vocabulary& vocabulary, Options options)
    : vocabulary_(vocabulary), options_(options), table_(options.count) {
  batch_.reserve(kBatch);
}

void MergeBuilder::add(std::string_view left, std::string_view right) {
  Pending pending{left, right, 0, 0, {-1, -1, next_rank_++, -1}};
  pending.left_hash = vocabulary_.prefetch(left);
  pending.right_hash = vocabulary_.prefetch(right);
  batch_.push_back(pending);
  if (batch_.size() == kBatch) {
    resolve_batch();
  }
}

// The token of both texts together. Files list tokens in the order of their merges, so the id is
// mostly that of the merge before, or the next.
int32_t MergeBuilder::merged_id(const Pending& pending) {
  merged_ = pending.left;
  merged_ +=
      pending.right.substr(std::min(options_.continuation_prefix.size(), pending.right.size()));
  for (const int32_t guess : {last_merged_ + 1, last_merged_}) {
    if (vocabulary_.is_text_of(guess, merged_)) {
      return guess;
    }
  }
  return vocabulary_.id_of(merged_).value_or(-1);
}

void MergeBuilder::resolve_batch() {
  for (const Pending& pending : batch_) {
    vocabulary_.prefetch_text(pending.left_hash);
    vocabulary_.prefetch_text(pending.right_hash);
  }
  for (Pending& pending : batch_) {
    pending.merge.left = vocabulary_.id_of(pending.left, pending.left_hash).value_or(-1);
    pending.merge.right = vocabulary_.id_of(pending.right, pending.right_hash).value_or(-1);
    pending.merge.merged = merged_id(pending);
    if (pending.merge.left < 0 || pending.merge.right < 0 || pending.merge.merged < 0) {
      fail(Code::kBadFile,
           "{}: merge {}: expected two tokens that form a token, found '{}' and '{}'",
           options_.where, pending.merge.rank, printable(pending.left), printable(pending.right));
    }
    last_merged_ = pending.merge.merged;
    table_.prefetch(pending.merge.left, pending.merge.right);
  }
  for (const Pending& pending : batch_) {
    const bool known = table_.find(pending.merge.left, pending.merge.right) != nullptr;
    if (!known || options_.repeated == Repeated::kLastCounts) {
      table_.add(pending.merge);
    }
  }
  batch_.clear();
}

MergeTable MergeBuilder::finish() {
  resolve_batch();
  return std::move(table_);
}

}  // namespace invar
