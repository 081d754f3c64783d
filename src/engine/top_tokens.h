// The k highest of a vocabulary's scores, in one pass and without sorting the rest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace invar {

struct ScoredToken {
  float score = 0;
  int32_t token_id = 0;

  bool operator==(const ScoredToken&) const = default;
};

// The order of tokens: the higher score first, the lower id on a tie.
inline bool ranks_before(const ScoredToken& a, const ScoredToken& b) {
  return a.score > b.score || (a.score == b.score && a.token_id < b.token_id);
}

// The first min(k, scores.size()) tokens in that order; scores that are not numbers are left out.
// `scores` is indexed by token id; `k` >= 1.
std::vector<ScoredToken> select_top(std::span<const float> scores, int64_t k);

// The first of them: one pass. Its score is -infinity if no score is a number above that.
ScoredToken highest_token(std::span<const float> scores);

}  // namespace invar
