// Unigram language model: of all ways to cut a piece into tokens, the one of the highest total
// score (Viterbi). A character that no token covers costs the unknown token's penalty.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/stop_check.h"
#include "text/byte_trie.h"
#include "text/vocabulary.h"

namespace invar {

struct UnigramOptions {
  std::optional<int32_t> unk;
  bool byte_fallback = false;  // unknown text becomes tokens <0x00>..<0xFF> if all exist
};

// Const use is safe from many threads.
class Unigram {
 public:
  // scores[id] for each id of `vocabulary`, which must outlive this. Scores are finite.
  // `unmatched` ids are never chosen: tokens that the text is not cut into.
  Unigram(const Vocabulary& vocabulary, std::vector<double> scores, UnigramOptions options,
          const std::vector<bool>& unmatched = {});

  // Appends the ids of `piece` to `ids`. Error kBadArgument if it has a character without a token
  // and there is no unknown token.
  void encode(std::string_view piece, StopCheck& stop, std::vector<int32_t>& ids) const;

 private:
  void append(std::string_view part, int32_t id, std::vector<int32_t>& ids) const;

  const Vocabulary& vocabulary_;
  std::vector<double> scores_;
  UnigramOptions options_;
  ByteTrie trie_;
  double unk_score_ = 0;
};

}  // namespace invar
