// Cutting of an append into passes (timeline.h).
#include "engine/timeline.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "engine/pass_segment.h"

namespace invar {

void Timeline::check(const Append& append) const {
  const auto rows = static_cast<int64_t>(append.token_ids.size());
  for (const int32_t id : append.token_ids) {
    if (id < 0 || id >= runner_->vocabulary()) {
      fail(Code::kBadArgument, "token id: expected 0 to {}, found {}", runner_->vocabulary() - 1,
           id);
    }
  }
  if (rows > runner_->context_positions() - positions()) {
    fail(Code::kBadArgument, "context: {} positions and {} more do not fit in {}", positions(),
         rows, runner_->context_positions());
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
  if (append.token_ids.empty()) {
    return;
  }
  const int64_t end = positions() + std::ssize(append.token_ids);
  prepare(append, end);
  replay(append);
  std::span<const int32_t> left = append.token_ids;
  for (size_t pass = 0; !left.empty(); ++pass) {
    const auto count = static_cast<int64_t>(left.size());
    const auto piece = static_cast<size_t>(append.pieces.empty() ? rows_of_pass(append, count)
                                                                 : append.pieces[pass]);
    const bool ends_append = piece == left.size();
    const int64_t logit_rows = append.rows == LogitRows::kAll ? static_cast<int64_t>(piece)
                               : append.rows == LogitRows::kLast && ends_append ? 1
                                                                                : 0;
    // A sink that forked or took a snapshot made the state let go of what was prepared.
    if (state_.prepared() < end) {
      prepare(append, end);
    }
    run_pass(append, left.first(piece), logit_rows);
    if (keeps_token_ids()) {
      token_ids_.insert(token_ids_.end(), left.begin(), left.begin() + static_cast<int64_t>(piece));
    }
    for (int64_t i = 0; i < logit_rows; ++i) {
      sink(positions() - logit_rows + i, runner_->logits_row(i));
    }
    left = left.subspan(piece);
  }
}

void Timeline::prepare(const Append& append, int64_t end) {
  std::span<const int64_t> captures = append.captures;
  while (!captures.empty() && captures.front() <= state_.computed()) {
    captures = captures.subspan(1);
  }
  const SequenceState::Write write{.end = end, .accept = append.accept, .captures = captures};
  if (!state_.prepare_write(write)) {
    fail(Code::kExhausted, "state memory: {}",
         describe_lack(runner_->state_memory(), state_.units_needed(write)));
  }
}

// The rows that a truncation left to be computed again.
void Timeline::replay(const Append& append) {
  const int64_t begin = positions();
  while (state_.computed() < begin) {
    const int64_t rows = std::min(begin - state_.computed(), runner_->limits().rows_max);
    run_pass(append,
             std::span<const int32_t>(token_ids_)
                 .subspan(static_cast<size_t>(state_.computed()), static_cast<size_t>(rows)),
             0);
  }
}

void Timeline::run_pass(const Append& append, std::span<const int32_t> token_ids,
                        int64_t logit_rows) {
  // The table of kv_blocks may hold those of later passes too; ops never read them.
  runner_->tables().clear();
  runner_->tables().add(pass_segment(state_, token_ids, logit_rows));
  if (append.run) {
    append.run();
  } else {
    runner_->run();
  }
  state_.advance(std::ssize(token_ids));
}

std::vector<float> Timeline::append(const Append& append) {
  std::vector<float> rows;
  this->append(append, [&](int64_t /*position*/, std::span<const float> logits) {
    rows.insert(rows.end(), logits.begin(), logits.end());
  });
  return rows;
}

void Timeline::truncate(int64_t positions) {
  state_.truncate(positions);
  if (keeps_token_ids()) {
    token_ids_.resize(static_cast<size_t>(positions));
  }
}

TimelineSnapshot Timeline::snapshot() {
  std::optional<TimelineSnapshot> at_end = snapshot_at(positions());
  // After a truncation rows may be missing; then the snapshot misses them too.
  return at_end ? std::move(*at_end) : TimelineSnapshot(state_.fork(), token_ids_);
}

std::optional<TimelineSnapshot> Timeline::snapshot_at(int64_t positions) {
  std::optional<SequenceState> state = state_.snapshot(positions);
  if (!state) {
    return std::nullopt;
  }
  std::vector<int32_t> token_ids = token_ids_;
  if (keeps_token_ids()) {
    token_ids.resize(static_cast<size_t>(positions));
  }
  return TimelineSnapshot(std::move(*state), std::move(token_ids));
}

}  // namespace invar
