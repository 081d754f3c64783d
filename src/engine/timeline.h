// One sequence on a runner, without a scheduler: what `logits`, `verify` and `law` use. The caller
// chooses how the tokens are cut into passes, and gets the logits of the rows that it wants.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/runner.h"

namespace invar {

// Which rows of an append have their logits computed.
enum class LogitRows { kNone, kLast, kAll };

// Called once for each wanted row, in order of position. The logits are valid during the call.
using LogitSink = std::function<void(int64_t position, std::span<const float> logits)>;

// The right to resume a sequence at a position: holds references to state and copies none.
// Move-only; the runner must outlive it.
class TimelineSnapshot {
 public:
  int64_t positions() const { return state_.positions(); }

 private:
  friend class Timeline;
  TimelineSnapshot(SequenceState state, std::vector<int32_t> token_ids)
      : state_(std::move(state)), token_ids_(std::move(token_ids)) {}

  // Forks of it let go of prepared rows, and it has none.
  mutable SequenceState state_;
  std::vector<int32_t> token_ids_;
};

// Holds state of the runner, which must outlive it; move-only; one thread at a time.
class Timeline {
 public:
  explicit Timeline(PassRunner& runner) : Timeline(runner, runner.make_sequence_state(), {}) {}
  // Goes on where the snapshot, of the same runner, was taken. It can be resumed again.
  Timeline(PassRunner& runner, const TimelineSnapshot& snapshot)
      : Timeline(runner, snapshot.state_.fork(), snapshot.token_ids_) {}

  int64_t positions() const { return state_.positions(); }
  int64_t accepted() const { return state_.accepted(); }
  const SequenceState& state() const { return state_; }
  std::span<const int32_t> kv_blocks() const { return state_.kv_blocks(); }

  struct Append {
    std::span<const int32_t> token_ids = {};
    // Rows of each pass; must sum to the tokens. Empty: passes as large as the limits allow. A
    // piece over the limits is a bug of the caller.
    std::span<const int64_t> pieces = {};
    LogitRows rows = LogitRows::kLast;
    // How a pass is run: for example Runner::run_hashed. Empty: PassRunner::run.
    std::function<void()> run = {};
    // False: the rows wait for accept(), and can be rejected by truncate(accepted()) at no cost.
    bool accept = true;
    // Positions, multiples of 64 within the rows, at which recurrent state is kept, ascending.
    std::span<const int64_t> captures = {};
  };
  // Throws kBadArgument for a token id outside the vocabulary and for more positions than the
  // context, and kExhausted when a pool has too few free units; nothing was appended then.
  void append(const Append& append, const LogitSink& sink);
  // The same; returns the wanted rows, one after the other.
  std::vector<float> append(const Append& append);

  // The first `rows` rows that are not accepted yet will not be rejected.
  void accept(int64_t rows) { state_.accept(accepted() + rows); }
  // Forgets the positions from `positions` on. Where recurrent state is lost by it, the next append
  // first computes the rows since the last kept boundary again.
  void truncate(int64_t positions);
  // A second timeline with the same prefix; state is shared until one of the two writes.
  Timeline fork() { return {*runner_, state_.fork(), token_ids_}; }

  // At the end of this timeline.
  TimelineSnapshot snapshot();
  // At an earlier position: one of the last accepted chunk or behind it, or a boundary that was
  // captured. Empty if the recurrent state of that position is gone.
  [[nodiscard]] std::optional<TimelineSnapshot> snapshot_at(int64_t positions);
  // Keeps the recurrent state of boundary `positions`, which must be held now: of the last accepted
  // boundary or one behind it.
  void capture(int64_t positions) { state_.capture(positions); }

 private:
  Timeline(PassRunner& runner, SequenceState state, std::vector<int32_t> token_ids)
      : runner_(&runner), state_(std::move(state)), token_ids_(std::move(token_ids)) {}

  void check(const Append& append) const;
  int64_t rows_of_pass(const Append& append, int64_t rows_left) const;
  void prepare(const Append& append, int64_t end);
  void replay(const Append& append);
  void run_pass(const Append& append, std::span<const int32_t> token_ids, int64_t logit_rows);
  bool keeps_token_ids() const { return runner_->state_memory().has_recurrent_state(); }

  PassRunner* runner_;
  SequenceState state_;
  // Of all positions, where the program has recurrent state: rows may have to be computed again.
  std::vector<int32_t> token_ids_;
};

}  // namespace invar
