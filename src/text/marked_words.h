// Where text may be cut without changing what byte-pair merges make of it: before a space mark
// (U+2581) that follows something else, provided that no token has a mark there. Long texts then
// become words, which repeat, instead of one piece.
#pragma once

#include <cstddef>
#include <string_view>

#include "text/vocabulary.h"

namespace invar {

class MarkedWords {
 public:
  // Looks through all tokens of `vocabulary`; not kept.
  explicit MarkedWords(const Vocabulary& vocabulary);

  // The end of the word that begins at `begin` < piece.size(); the piece's end if words may not be
  // cut in this vocabulary.
  size_t word_end(std::string_view piece, size_t begin) const;

  bool can_cut() const { return can_cut_; }

 private:
  bool can_cut_;
};

}  // namespace invar
