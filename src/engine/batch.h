// Which rows go into the next pass. By the law this changes when a token comes, never which.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/sequence.h"
#include "program/pass_tables.h"

namespace invar {

struct BatchSegment {
  Sequence* sequence = nullptr;
  int64_t rows = 0;
  // The rows reach the sequence's last token, so its next one can be drawn from their last logits.
  bool draws = false;
  int64_t logit_rows = 0;  // the last ones, whose logits are wanted
};

// `ready`: sequences in order of admission; there are at most limits.segments_max. Every sequence
// that needs one row gets it, so that answers flow; what is left of the row budget goes to prompts,
// in order of admission. Each sequence has one logit row for itself; a prompt that is scored gets
// no more rows than there are logit rows left for it.
std::vector<BatchSegment> choose_batch(std::span<Sequence* const> ready, const PassLimits& limits);

}  // namespace invar
