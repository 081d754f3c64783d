// Cutting of an append into passes (timeline.h).
#include "engine/timeline.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"

namespace invar {

void Timeline::check(const Append& append) const {
  const auto rows = static_cast<int64_t>(append.token_ids.size());
  for (const int32_t id : append.token_ids) {
    if (id < 0 || id >= runner_->vocabulary()) {
      fail(Code::kBadArgument, "token id: expected 0 to {}, found {}", runner_->vocabulary() - 1,
           id);
    }
  }
  if (rows > runner_->context_positions() - positions_) {
    fail(Code::kBadArgument, "context: {} positions and {} more do not fit in {}", positions_, rows,
         runner_->context_positions());
  }
  if (!append.pieces.empty()) {
    const int64_t sum = std::accumulate(append.pieces.begin(), append.pieces.end(), int64_t{0});
    INVAR_CHECK(sum == rows, "pieces of {} rows for {} tokens", sum, rows);
  }
}

int64_t Timeline::rows_of_pass(const Append& append, int64_t rows_left) const {
  const PassLimits& limits = runner_->limits();
  const int64_t rows_max = append.rows == LogitRows::kAll
                               ? std::min(limits.rows_max, limits.logit_rows_max)
                               : limits.rows_max;
  return std::min(rows_left, rows_max);
}

void Timeline::append(const Append& append, const LogitSink& sink) {
  check(append);
  const auto rows = static_cast<int64_t>(append.token_ids.size());
  const KvBlockTable::Write write{.begin = positions_, .end = positions_ + rows};
  if (!kv_blocks_.prepare_write(write)) {
    fail(Code::kExhausted, "state memory: {} kv_blocks needed, {} of {} free",
         kv_blocks_.kv_blocks_needed(write), runner_->kv_block_pool().free_count(),
         runner_->kv_block_pool().count());
  }
  std::span<const int32_t> left = append.token_ids;
  for (size_t pass = 0; !left.empty(); ++pass) {
    const auto count = static_cast<int64_t>(left.size());
    const auto piece = static_cast<size_t>(append.pieces.empty() ? rows_of_pass(append, count)
                                                                 : append.pieces[pass]);
    run_pass(append, left.first(piece), piece == left.size(), sink);
    left = left.subspan(piece);
  }
}

void Timeline::run_pass(const Append& append, std::span<const int32_t> token_ids, bool ends_append,
                        const LogitSink& sink) {
  const auto rows = static_cast<int64_t>(token_ids.size());
  const int64_t logit_rows = append.rows == LogitRows::kAll                   ? rows
                             : append.rows == LogitRows::kLast && ends_append ? 1
                                                                              : 0;
  // Beyond `positions_ + rows` the table may hold kv_blocks of later passes; ops never read them.
  runner_->tables().clear();
  runner_->tables().add({.token_ids = token_ids,
                         .first_position = positions_,
                         .kv_blocks = kv_blocks_.kv_blocks(),
                         .logit_rows = logit_rows});
  if (append.run) {
    append.run();
  } else {
    runner_->run();
  }
  positions_ += rows;
  for (int64_t i = 0; i < logit_rows; ++i) {
    sink(positions_ - logit_rows + i, runner_->logits_row(i));
  }
}

std::vector<float> Timeline::append(const Append& append) {
  std::vector<float> rows;
  this->append(append, [&](int64_t /*position*/, std::span<const float> logits) {
    rows.insert(rows.end(), logits.begin(), logits.end());
  });
  return rows;
}

void Timeline::truncate(int64_t positions) {
  INVAR_CHECK(positions >= 0 && positions <= positions_, "truncate {} positions to {}", positions_,
              positions);
  kv_blocks_.truncate(positions);
  positions_ = positions;
}

}  // namespace invar
