// Runs a law schedule on a runner. Every row whose whole prefix is the prompt's is handed out, as
// logits or as digests of what each op wrote, under its position.
#pragma once

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
    // Before every pass the arena and the unused ends of the tables are filled with what would be
    // noticed (NaN, indexes that lead nowhere), and so is all state when a sequence gets it.
    bool poison = false;
    // Called after each pass with its rows; may be empty.
    std::function<void(int64_t rows)> progress = {};
  };
  explicit LawReplay(const Parts& parts);
  ~LawReplay() { parts_.runner->state_memory().poison_allocated(false); }
  LawReplay(const LawReplay&) = delete;
  LawReplay& operator=(const LawReplay&) = delete;

  // `sink` gets the logits of each comparable row.
  void run(const LawSchedule& schedule, const LogitSink& sink);

  // A pass in hashed mode. Positions are -1 for rows that cannot be compared.
  struct HashedPass {
    std::span<const OpDigests> digests;
    std::span<const int64_t> row_positions;        // of the pass's rows
    std::span<const int64_t> logit_row_positions;  // of its logit rows
  };
  using DigestSink = std::function<void(const HashedPass& pass)>;
  void run_hashed(const LawSchedule& schedule, const DigestSink& sink);

  // Shared kv_blocks that were copied before a write, in all runs.
  int64_t kv_blocks_copied() const {
    return parts_.runner->state_storage().copied()[StateUnit::kKvBlock] - copied_before_;
  }

 private:
  struct Sequence {
    SequenceState state;
    std::vector<int32_t> token_ids;
    int64_t prompt_positions = 0;  // of the first positions, how many have the prompt's tokens
  };

  void walk(const LawSchedule& schedule, const std::function<void()>& run_pass);
  void prepare_pass(const LawStep& step);
  void add_segment(const LawSegment& segment);
  void compute_again(Sequence& sequence);
  void change_sequences(const LawStep& step);
  Sequence& find_or_make(int sequence);

  Parts parts_;
  std::map<int, Sequence> sequences_;
  std::vector<int64_t> row_positions_;
  std::vector<int64_t> logit_row_positions_;
  int64_t copied_before_ = 0;
};

}  // namespace invar
