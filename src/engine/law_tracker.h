// What a schedule's steps lead to, without a model: which sequences and snapshots there are, how
// long they are, what of them is accepted and which boundaries are kept. Says which steps are
// possible and what memory they need.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "engine/law_schedule.h"

namespace invar {

class LawTracker {
 public:
  explicit LawTracker(const LawShape& shape) : shape_(shape) {}

  // The step, made to fit: rows and positions as near to the step's own as the state and the shape
  // allow, without what is not there. Empty if nothing of it is possible. A step is possible if it
  // comes back as it is.
  std::optional<LawStep> fitted(LawStep step) const;
  // The step must be possible.
  void apply(const LawStep& step);

  bool has_sequence(int sequence) const { return sequences_.contains(sequence); }
  bool has_snapshot(int snapshot) const { return snapshots_.contains(snapshot); }
  int64_t positions(int sequence) const;
  int64_t accepted(int sequence) const;

  // What the state that there is now takes, even if nothing were shared.
  int64_t kv_blocks() const;
  int64_t recurrent_units() const;  // of each kind: state_pages, row_blocks
  int64_t positions_max() const;    // of a sequence
  int64_t owners() const { return std::ssize(sequences_) + std::ssize(snapshots_); }

 private:
  struct Sequence {
    int64_t positions = 0;
    int64_t accepted = 0;
    std::vector<int64_t> captures = {};  // ascending

    void truncate(int64_t to);
    bool holds(int64_t boundary_or_pending) const;
  };

  std::optional<LawStep> fitted_pass(const LawStep& step) const;
  bool is_possible(const LawStep& step) const;
  void apply_pass(const LawStep& step);

  LawShape shape_;
  std::map<int, Sequence> sequences_;
  std::map<int, int64_t> snapshots_;  // positions
};

// The steps that are possible, each made to fit what those before it lead to.
LawSchedule fitted(const LawSchedule& schedule, const LawShape& shape);

// What a runner needs to run a schedule.
struct ScheduleSizes {
  int64_t positions_max = 0;    // of a sequence
  int64_t kv_blocks = 0;        // of all sequences and snapshots, even if they shared none
  int64_t recurrent_units = 0;  // state_pages, and as many row_blocks, likewise
};
ScheduleSizes schedule_sizes(const LawSchedule& schedule, const LawShape& shape);

}  // namespace invar
