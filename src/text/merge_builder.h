// Builds the merge table of a vocabulary from pairs of token texts. Texts are looked up in batches
// whose cache misses overlap: a vocabulary of 150,000 tokens would otherwise wait for memory half a
// million times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/merge_table.h"
#include "text/vocabulary.h"

namespace invar {

// One thread.
class MergeBuilder {
 public:
  // Which of two merges of the same pair counts.
  enum class Repeated { kFirstCounts, kLastCounts };

  struct Options {
    size_t count = 0;                      // merges in all
    std::string_view continuation_prefix;  // is not part of the right token's text
    Repeated repeated = Repeated::kLastCounts;
    std::string_view where;  // names the list in errors; must outlive this
  };
  // `vocabulary` must outlive this.
  MergeBuilder(const Vocabulary& vocabulary, Options options);

  // The next merge in order of rank. The texts must stay valid until finish(). Error kBadFile if a
  // text is no token or both together are none; it may come with a later call.
  void add(std::string_view left, std::string_view right);

  // All merges added so far; call once, at the end.
  MergeTable finish();

 private:
  struct Pending {
    std::string_view left;
    std::string_view right;
    uint64_t left_hash;
    uint64_t right_hash;
    Merge merge;
  };
  static constexpr size_t kBatch = 32;

  void resolve_batch();
  int32_t merged_id(const Pending& pending);

  const Vocabulary& vocabulary_;
  Options options_;
  MergeTable table_;
  std::vector<Pending> batch_;
  std::string merged_;
  int32_t next_rank_ = 0;
  int32_t last_merged_ = -1;
};

}  // namespace invar
