// Runs a law schedule on a runner. Every row whose whole prefix is that of the compared tokens is
// handed out, as logits or as digests of what each op wrote, under its position; or every row of
// any prefix, with its tokens.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "engine/law_schedule.h"
#include "engine/runner.h"
#include "engine/timeline.h"

namespace invar {

// One thread at a time. Several schedules may run one after the other; each starts without
// sequences.
class LawReplay {
 public:
  struct Parts {
    Runner* runner = nullptr;  // must outlive the replay and have memory for its schedules
    std::span<const int32_t> prompt = {};
    // What rows are compared with; empty: the prompt.
    std::span<const int32_t> compared = {};
    // Before every pass the arena, the unused ends of the tables and all state that nobody owns are
    // filled with what would be noticed (NaN, indexes that lead nowhere), and so is all state when
    // a sequence gets it.
    bool poison = false;
    // Called after each pass of the schedule with its rows; may be empty.
    std::function<void(int64_t rows)> progress = {};
  };
  explicit LawReplay(const Parts& parts);
  ~LawReplay() { parts_.runner->state_memory().poison_allocated(false); }
  LawReplay(const LawReplay&) = delete;
  LawReplay& operator=(const LawReplay&) = delete;

  // `sink` gets the logits of each comparable row; rows that are computed again come again.
  void run(const LawSchedule& schedule, const LogitSink& sink);

  // A row of a pass, whatever its prefix.
  struct Row {
    int64_t step = 0;  // of the schedule
    int64_t position = 0;
    std::span<const int32_t> token_ids;  // of the whole sequence, as far as the pass goes
    std::span<const float> logits;
  };
  void run_rows(const LawSchedule& schedule, const std::function<void(const Row& row)>& sink);

  // A pass in hashed mode. Positions are -1 for rows that cannot be compared.
  struct HashedPass {
    std::span<const OpDigests> digests;
    std::span<const int64_t> row_positions;        // of the pass's rows
    std::span<const int64_t> logit_row_positions;  // of its logit rows
  };
  using DigestSink = std::function<void(const HashedPass& pass)>;
  void run_hashed(const LawSchedule& schedule, const DigestSink& sink);

  // Of all runs: units that were copied before a write, because they were shared; references that
  // forks, snapshots and resumes took instead of copies; and state_pages that passes wrote.
  StateCounts copied() const;
  StateCounts referenced() const;
  int64_t pages_written() const;

 private:
  struct Sequence {
    SequenceState state;
    std::vector<int32_t> token_ids;
    int64_t compared_positions = 0;  // of the first positions, how many have the compared tokens
  };
  struct Snapshot {
    SequenceState state;
    std::vector<int32_t> token_ids;
    int64_t compared_positions = 0;
  };
  struct LogitRow {
    int sequence = 0;
    int64_t position = 0;
    bool comparable = false;
  };
  struct Counts {
    StateCounts copied;
    StateCounts referenced;
    int64_t pages_written = 0;
  };

  using RunPass = std::function<void()>;
  void walk(const LawSchedule& schedule, const RunPass& run_pass);
  void run_step(const LawStep& step, const RunPass& run_pass);
  void clear_pass();
  void add_rows(int sequence, int64_t rows);
  void append_tokens(Sequence& sequence, const LawSegment& segment);
  void compute_again(int sequence, int64_t rows_max, const RunPass& run_pass);
  void change_sequences(const LawStep& step, const RunPass& run_pass);
  void poison();
  Sequence& find_or_make(int sequence);
  Counts counts() const;

  Parts parts_;
  bool all_logits_ = false;
  int64_t step_ = 0;
  std::map<int, Sequence> sequences_;
  std::map<int, Snapshot> snapshots_;
  // Of the pass in hand.
  std::vector<int64_t> row_positions_;
  std::vector<LogitRow> logit_rows_;
  std::array<std::vector<bool>, kStateUnits.size()> poisoned_;  // by unit and id
  Counts before_;
};

}  // namespace invar
