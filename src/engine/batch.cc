// Dealing of the row budget (batch.h).
#include "engine/batch.h"

#include <algorithm>

#include "core/error.h"

namespace invar {

std::vector<BatchSegment> choose_batch(std::span<Sequence* const> ready, const PassLimits& limits) {
  INVAR_CHECK(static_cast<int64_t>(ready.size()) <=
              std::min({limits.rows_max, limits.segments_max, limits.logit_rows_max}));
  std::vector<BatchSegment> batch;
  int64_t rows_left = limits.rows_max;
  int64_t logit_rows_left = limits.logit_rows_max - std::ssize(ready);
  for (Sequence* sequence : ready) {
    if (sequence->pending_rows() == 1) {
      batch.push_back({.sequence = sequence, .rows = 1, .draws = true, .logit_rows = 1});
      rows_left -= 1;
    }
  }
  for (Sequence* sequence : ready) {
    const int64_t pending = sequence->pending_rows();
    if (pending > 1 && rows_left > 0) {
      int64_t rows = std::min(pending, rows_left);
      if (sequence->scores_prompt) {
        rows = std::min(rows, 1 + logit_rows_left);
        logit_rows_left -= rows - 1;
      }
      const bool draws = rows == pending;
      batch.push_back({.sequence = sequence,
                       .rows = rows,
                       .draws = draws,
                       .logit_rows = sequence->scores_prompt ? rows : int64_t{draws}});
      rows_left -= rows;
    }
  }
  return batch;
}

}  // namespace invar
