// Filling of pass tables from schedule steps (law_replay.h).
#include "engine/law_replay.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/error.h"
#include "engine/pass_segment.h"

namespace invar {
namespace {

// A token that is not the prompt's at this position. Fixed multipliers spread streams and
// positions over the vocabulary.
int32_t other_token(int32_t prompt_token, int stream, int64_t position, int64_t vocabulary) {
  const uint64_t mixed =
      (static_cast<uint64_t>(stream) * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(position)) *
      0xbf58476d1ce4e5b9u;
  const auto shift = static_cast<int64_t>((mixed >> 32) % static_cast<uint64_t>(vocabulary - 1));
  return static_cast<int32_t>((prompt_token + 1 + shift) % vocabulary);
}

}  // namespace

LawReplay::LawReplay(const Parts& parts) : parts_(parts), before_(counts()) {
  INVAR_CHECK(parts.runner->vocabulary() > 1);
  if (parts_.compared.empty()) {
    parts_.compared = parts_.prompt;
  }
  if (parts_.poison) {
    parts_.runner->state_memory().poison_allocated(true);
    for (const StateUnit unit : kStateUnits) {
      poisoned_[static_cast<int>(unit)].resize(parts_.runner->state_memory().pool(unit).count());
    }
  }
}

LawReplay::Counts LawReplay::counts() const {
  const StateMemory& memory = parts_.runner->state_memory();
  return {.copied = memory.storage().copied(),
          .referenced = memory.referenced(),
          .pages_written = memory.pages_written()};
}

StateCounts LawReplay::copied() const {
  StateCounts counts = this->counts().copied;
  return counts -= before_.copied;
}

StateCounts LawReplay::referenced() const {
  StateCounts counts = this->counts().referenced;
  return counts -= before_.referenced;
}

int64_t LawReplay::pages_written() const {
  return counts().pages_written - before_.pages_written;
}

LawReplay::Sequence& LawReplay::find_or_make(int sequence) {
  const auto found = sequences_.find(sequence);
  if (found != sequences_.end()) {
    return found->second;
  }
  return sequences_
      .emplace(sequence, Sequence{.state = parts_.runner->make_sequence_state(),
                                  .token_ids = {},
                                  .compared_positions = 0})
      .first->second;
}

// Passes --------------------------------------------------------------------------------------

// What sequences gave back must not be read any more either.
void LawReplay::poison() {
  parts_.runner->poison_arena();
  parts_.runner->tables().poison_unused();
  StateMemory& memory = parts_.runner->state_memory();
  for (const StateUnit unit : kStateUnits) {
    std::vector<bool>& poisoned = poisoned_[static_cast<int>(unit)];
    for (int32_t id = 0; id < std::ssize(poisoned); ++id) {
      const bool is_free = memory.pool(unit).references(id) == 0;
      if (is_free && !poisoned[id]) {
        memory.storage().poison(unit, id);
      }
      poisoned[id] = is_free;
    }
  }
}

void LawReplay::clear_pass() {
  row_positions_.clear();
  logit_rows_.clear();
  parts_.runner->tables().clear();
}

// The next `rows` rows of a sequence, which are prepared, as a segment of the pass.
void LawReplay::add_rows(int name, int64_t rows) {
  const Sequence& sequence = sequences_.at(name);
  const int64_t begin = sequence.state.computed();
  const bool compares = begin < sequence.compared_positions;
  // All rows of a segment that is compared; of another its last one, as an engine would ask.
  const int64_t logit_rows = compares || all_logits_ ? rows : 1;
  for (int64_t position = begin; position < begin + rows; ++position) {
    const bool comparable = position < sequence.compared_positions;
    row_positions_.push_back(comparable ? position : -1);
    if (position >= begin + rows - logit_rows) {
      logit_rows_.push_back({.sequence = name, .position = position, .comparable = comparable});
    }
  }
  parts_.runner->tables().add(pass_segment(
      sequence.state,
      std::span(sequence.token_ids).subspan(static_cast<size_t>(begin), static_cast<size_t>(rows)),
      logit_rows));
}

// Rows whose recurrent state a truncation lost, or all of an evicted sequence.
void LawReplay::compute_again(int name, int64_t rows_max, const RunPass& run_pass) {
  Sequence& sequence = sequences_.at(name);
  const auto end = std::ssize(sequence.token_ids);
  while (sequence.state.computed() < end) {
    const int64_t rows = std::min(end - sequence.state.computed(), rows_max);
    const bool fits = sequence.state.prepare_write({.end = sequence.state.computed() + rows});
    INVAR_CHECK(fits, "the runner has too little state for its schedule");
    clear_pass();
    add_rows(name, rows);
    run_pass();
    sequence.state.advance(rows);
  }
}

void LawReplay::append_tokens(Sequence& sequence, const LawSegment& segment) {
  const auto length = std::ssize(parts_.prompt);
  for (int64_t row = 0; row < segment.rows(); ++row) {
    const auto position = std::ssize(sequence.token_ids);
    const bool is_prompt = row < segment.prompt_rows;
    INVAR_CHECK(!is_prompt || position < length, "position {} of {}", position, length);
    const int32_t prompt_token = position < length ? parts_.prompt[position] : 0;
    const int32_t token_id = is_prompt ? prompt_token
                                       : other_token(prompt_token, segment.stream, position,
                                                     parts_.runner->vocabulary());
    const bool compares = sequence.compared_positions == position &&
                          position < std::ssize(parts_.compared) &&
                          parts_.compared[position] == token_id;
    sequence.token_ids.push_back(token_id);
    sequence.compared_positions += compares ? 1 : 0;
  }
}

// Steps ---------------------------------------------------------------------------------------

void LawReplay::change_sequences(const LawStep& step, const RunPass& run_pass) {
  const auto truncate = [&](auto& owner) {
    owner.token_ids.resize(static_cast<size_t>(owner.state.positions()));
    owner.compared_positions = std::min(owner.compared_positions, owner.state.positions());
  };
  const int64_t rows_max = parts_.runner->limits().rows_max;
  switch (step.kind) {
    case LawStep::Kind::kPass:
      break;
    case LawStep::Kind::kAccept:
      sequences_.at(step.sequence).state.accept(step.positions);
      break;
    case LawStep::Kind::kFork: {
      Sequence& from = sequences_.at(step.from);
      sequences_.emplace(step.sequence, Sequence{.state = from.state.fork(),
                                                 .token_ids = from.token_ids,
                                                 .compared_positions = from.compared_positions});
      [[fallthrough]];  // a fork at an earlier position
    }
    case LawStep::Kind::kTruncate: {
      Sequence& sequence = sequences_.at(step.sequence);
      sequence.state.truncate(step.positions);
      truncate(sequence);
      compute_again(step.sequence, rows_max, run_pass);
      break;
    }
    case LawStep::Kind::kSnapshot: {
      Sequence& from = sequences_.at(step.sequence);
      std::optional<SequenceState> state = from.state.snapshot(step.positions);
      INVAR_CHECK(state.has_value(), "the state of position {} is gone", step.positions);
      Snapshot& snapshot =
          snapshots_
              .emplace(step.snapshot, Snapshot{.state = std::move(*state),
                                               .token_ids = from.token_ids,
                                               .compared_positions = from.compared_positions})
              .first->second;
      truncate(snapshot);
      break;
    }
    case LawStep::Kind::kResume: {
      Snapshot& from = snapshots_.at(step.snapshot);
      sequences_.emplace(step.sequence, Sequence{.state = from.state.fork(),
                                                 .token_ids = from.token_ids,
                                                 .compared_positions = from.compared_positions});
      break;
    }
    case LawStep::Kind::kEvict:
      sequences_.at(step.sequence).state = parts_.runner->make_sequence_state();
      compute_again(step.sequence, step.rows, run_pass);
      break;
    case LawStep::Kind::kDrop:
      sequences_.erase(step.sequence);
      break;
    case LawStep::Kind::kForget:
      snapshots_.erase(step.snapshot);
      break;
  }
}

void LawReplay::run_step(const LawStep& step, const RunPass& run_pass) {
  if (step.kind != LawStep::Kind::kPass) {
    change_sequences(step, run_pass);
    return;
  }
  clear_pass();
  for (const LawSegment& segment : step.segments) {
    Sequence& sequence = find_or_make(segment.sequence);
    append_tokens(sequence, segment);
    const bool fits = sequence.state.prepare_write({.end = std::ssize(sequence.token_ids),
                                                    .accept = !segment.waits,
                                                    .captures = segment.captures});
    INVAR_CHECK(fits, "the runner has too little state for its schedule");
    add_rows(segment.sequence, segment.rows());
  }
  run_pass();
  for (const LawSegment& segment : step.segments) {
    sequences_.at(segment.sequence).state.advance(segment.rows());
  }
  if (parts_.progress) {
    parts_.progress(std::ssize(row_positions_));
  }
}

void LawReplay::walk(const LawSchedule& schedule, const RunPass& run_pass) {
  for (step_ = 0; step_ < std::ssize(schedule.steps); ++step_) {
    run_step(schedule.steps[step_], [&] {
      if (parts_.poison) {
        poison();
      }
      run_pass();
    });
  }
  sequences_.clear();
  snapshots_.clear();
}

void LawReplay::run(const LawSchedule& schedule, const LogitSink& sink) {
  walk(schedule, [&] {
    parts_.runner->run();
    for (size_t i = 0; i < logit_rows_.size(); ++i) {
      if (logit_rows_[i].comparable) {
        sink(logit_rows_[i].position, parts_.runner->logits_row(static_cast<int64_t>(i)));
      }
    }
  });
}

void LawReplay::run_rows(const LawSchedule& schedule,
                         const std::function<void(const Row& row)>& sink) {
  all_logits_ = true;
  walk(schedule, [&] {
    parts_.runner->run();
    for (size_t i = 0; i < logit_rows_.size(); ++i) {
      const Sequence& sequence = sequences_.at(logit_rows_[i].sequence);
      sink({.step = step_,
            .position = logit_rows_[i].position,
            .token_ids = sequence.token_ids,
            .logits = parts_.runner->logits_row(static_cast<int64_t>(i))});
    }
  });
  all_logits_ = false;
}

void LawReplay::run_hashed(const LawSchedule& schedule, const DigestSink& sink) {
  walk(schedule, [&] {
    const std::vector<OpDigests> digests = parts_.runner->run_hashed();
    std::vector<int64_t> logit_row_positions;
    for (const LogitRow& row : logit_rows_) {
      logit_row_positions.push_back(row.comparable ? row.position : -1);
    }
    sink({.digests = digests,
          .row_positions = row_positions_,
          .logit_row_positions = logit_row_positions});
  });
}

}  // namespace invar
