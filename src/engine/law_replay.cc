// Filling of pass tables from schedule steps (law_replay.h).
#include "engine/law_replay.h"

#include <algorithm>

#include "core/error.h"
#include "engine/pass_segment.h"

namespace invar {
namespace {

constexpr int64_t kDraftRowsMax = 16;

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

LawReplay::LawReplay(const Parts& parts) : parts_(parts) {
  INVAR_CHECK(parts.runner->vocabulary() > 1);
  copied_before_ = parts.runner->state_storage().copied()[StateUnit::kKvBlock];
  if (parts_.poison) {
    parts_.runner->state_storage().poison();
    parts_.runner->state_memory().poison_allocated(true);
  }
}

LawReplay::Sequence& LawReplay::find_or_make(int sequence) {
  const auto found = sequences_.find(sequence);
  if (found != sequences_.end()) {
    return found->second;
  }
  return sequences_
      .emplace(sequence, Sequence{.state = parts_.runner->make_sequence_state(),
                                  .token_ids = {},
                                  .prompt_positions = 0})
      .first->second;
}

// Rows whose recurrent state a truncation lost, in passes of their own.
void LawReplay::compute_again(Sequence& sequence) {
  const int64_t end = sequence.state.positions();
  while (sequence.state.computed() < end) {
    const int64_t begin = sequence.state.computed();
    const int64_t rows = std::min(end - begin, parts_.runner->limits().rows_max);
    const bool fits = sequence.state.prepare_write({.end = begin + rows});
    INVAR_CHECK(fits, "the runner has too little state for its schedule");
    const std::span<const int32_t> token_ids = sequence.token_ids;
    parts_.runner->tables().clear();
    parts_.runner->tables().add(
        pass_segment(sequence.state,
                     token_ids.subspan(static_cast<size_t>(begin), static_cast<size_t>(rows)), 0));
    parts_.runner->run();
    sequence.state.advance(rows);
  }
}

void LawReplay::add_segment(const LawSegment& segment) {
  Sequence& sequence = find_or_make(segment.sequence);
  const auto begin = static_cast<int64_t>(sequence.token_ids.size());
  // Few rows wait, as drafts do, so that a truncation of them goes the way of a rejection.
  sequence.state.accept(begin);
  const bool fits = sequence.state.prepare_write(
      {.end = begin + segment.rows(), .accept = segment.rows() > kDraftRowsMax});
  INVAR_CHECK(fits, "the runner has too little state for its schedule");
  const bool comparable = sequence.prompt_positions == begin;
  for (int64_t row = 0; row < segment.rows(); ++row) {
    const int64_t position = begin + row;
    const bool is_prompt = row < segment.prompt_rows;
    const auto length = static_cast<int64_t>(parts_.prompt.size());
    INVAR_CHECK(!is_prompt || position < length, "position {} of {}", position, length);
    const int32_t prompt_token = position < length ? parts_.prompt[position] : 0;
    sequence.token_ids.push_back(is_prompt ? prompt_token
                                           : other_token(prompt_token, segment.stream, position,
                                                         parts_.runner->vocabulary()));
    row_positions_.push_back(comparable && is_prompt ? position : -1);
  }
  sequence.prompt_positions += comparable ? segment.prompt_rows : 0;
  // All rows of a segment that is compared; of another its last one, as an engine would ask.
  const int64_t logit_rows = comparable && segment.prompt_rows > 0 ? segment.rows() : 1;
  logit_row_positions_.insert(logit_row_positions_.end(), row_positions_.end() - logit_rows,
                              row_positions_.end());
  parts_.runner->tables().add(pass_segment(
      sequence.state, std::span<const int32_t>(sequence.token_ids).subspan(begin), logit_rows));
}

void LawReplay::prepare_pass(const LawStep& step) {
  row_positions_.clear();
  logit_row_positions_.clear();
  parts_.runner->tables().clear();
  for (const LawSegment& segment : step.segments) {
    add_segment(segment);
  }
  if (parts_.poison) {
    parts_.runner->poison_arena();
    parts_.runner->tables().poison_unused();
  }
}

void LawReplay::change_sequences(const LawStep& step) {
  if (step.kind == LawStep::Kind::kDrop) {
    sequences_.erase(step.sequence);
    return;
  }
  if (step.kind == LawStep::Kind::kFork) {
    Sequence& from = find_or_make(step.from);
    sequences_.insert_or_assign(step.sequence, Sequence{.state = from.state.fork(),
                                                        .token_ids = from.token_ids,
                                                        .prompt_positions = from.prompt_positions});
  }
  Sequence& sequence = find_or_make(step.sequence);
  INVAR_CHECK(step.positions <= static_cast<int64_t>(sequence.token_ids.size()));
  sequence.state.truncate(step.positions);
  sequence.token_ids.resize(step.positions);
  compute_again(sequence);
  sequence.prompt_positions = std::min(sequence.prompt_positions, step.positions);
}

void LawReplay::walk(const LawSchedule& schedule, const std::function<void()>& run_pass) {
  sequences_.clear();
  for (const LawStep& step : schedule.steps) {
    if (step.kind != LawStep::Kind::kPass) {
      change_sequences(step);
      continue;
    }
    prepare_pass(step);
    run_pass();
    for (const LawSegment& segment : step.segments) {
      find_or_make(segment.sequence).state.advance(segment.rows());
    }
    if (parts_.progress) {
      parts_.progress(std::ssize(row_positions_));
    }
  }
  sequences_.clear();
}

void LawReplay::run(const LawSchedule& schedule, const LogitSink& sink) {
  walk(schedule, [&] {
    parts_.runner->run();
    for (size_t i = 0; i < logit_row_positions_.size(); ++i) {
      if (logit_row_positions_[i] >= 0) {
        sink(logit_row_positions_[i], parts_.runner->logits_row(static_cast<int64_t>(i)));
      }
    }
  });
}

void LawReplay::run_hashed(const LawSchedule& schedule, const DigestSink& sink) {
  walk(schedule, [&] {
    const std::vector<OpDigests> digests = parts_.runner->run_hashed();
    sink({.digests = digests,
          .row_positions = row_positions_,
          .logit_row_positions = logit_row_positions_});
  });
}

}  // namespace invar
