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
  for (Sequence* sequence : ready) {
    if (sequence->pending_rows() == 1) {
      batch.push_back({.sequence = sequence, .rows = 1, .draws = true});
      rows_left -= 1;
    }
  }
  for (Sequence* sequence : ready) {
    const int64_t pending = sequence->pending_rows();
    if (pending > 1 && rows_left > 0) {
      const int64_t rows = std::min(pending, rows_left);
      batch.push_back({.sequence = sequence, .rows = rows, .draws = rows == pending});
      rows_left -= rows;
    }
  }
  return batch;
}

}  // namespace invar
