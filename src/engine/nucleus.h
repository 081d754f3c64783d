// The tokens that top_k and top_p leave to draw from.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/probability.h"
#include "engine/top_tokens.h"

namespace invar {

struct NucleusLimits {
  int64_t top_k = 0;  // 0: off
  float top_p = 1;    // 1: off
};

// First the `top_k` highest tokens; of these, the fewest highest whose probabilities sum to at
// least `top_p` of all of theirs. In no particular order; never empty. Does not sort the
// vocabulary.
std::vector<ScoredToken> select_nucleus(const ScaledRow& row, const NucleusLimits& limits);

}  // namespace invar
