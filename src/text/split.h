// Cutting a piece of text at the matches of a pattern, with the behaviours that tokenizer files
// name.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/growth_limit.h"
#include "text/regex.h"

namespace invar {

// A part of the text on its way to the model.
struct Piece {
  std::string_view text;
  bool at_start;  // begins where the whole text begins
};

// Owns the strings that steps make; views into them stay valid while the arena lives. One thread.
class TextArena {
 public:
  // All strings together must stay within the limit.
  explicit TextArena(const GrowthLimit& limit) : limit_(limit) {}

  std::string_view keep(std::string text) {
    bytes_ += text.size();
    limit_.check(bytes_);
    return strings_.emplace_back(std::move(text));
  }

 private:
  GrowthLimit limit_;
  size_t bytes_ = 0;
  std::deque<std::string> strings_;
};

enum class SplitBehavior {
  kRemoved,             // matches are dropped
  kIsolated,            // each match is a piece
  kMergedWithPrevious,  // a match ends the piece before it
  kMergedWithNext,      // a match begins the piece after it
  kContiguous,          // neighbouring matches are one piece
};

struct SplitRule {
  SplitBehavior behavior = SplitBehavior::kIsolated;
  bool invert = false;  // what lies between the matches counts as the match
};

// Appends the parts of `piece` to `out`; empty parts are left out. `matches` ascend, do not overlap
// and lie within the piece.
void split_piece(const Piece& piece, std::span<const TextSpan> matches, const SplitRule& rule,
                 std::vector<Piece>& out);

}  // namespace invar
