// Bookkeeping of schedules (law_tracker.h). The rules of what is held are those of
// cache/recurrent_table.h; programs without recurrent state hold more.
#include "engine/law_tracker.h"

#include <algorithm>
#include <set>

#include "cache/kv_block_table.h"
#include "cache/recurrent_table.h"
#include "core/error.h"

namespace invar {
namespace {

using Kind = LawStep::Kind;

int64_t boundary_below(int64_t positions) {
  return positions / kChunkRows * kChunkRows;
}

}  // namespace

void LawTracker::Sequence::truncate(int64_t to) {
  positions = to;
  accepted = std::min(accepted, to);
  std::erase_if(captures, [&](int64_t boundary) { return boundary > to; });
}

bool LawTracker::Sequence::holds(int64_t at) const {
  return at == 0 || at >= boundary_below(accepted) ||
         std::find(captures.begin(), captures.end(), at) != captures.end();
}

int64_t LawTracker::positions(int sequence) const {
  const auto found = sequences_.find(sequence);
  return found == sequences_.end() ? 0 : found->second.positions;
}

int64_t LawTracker::accepted(int sequence) const {
  const auto found = sequences_.find(sequence);
  return found == sequences_.end() ? 0 : found->second.accepted;
}

int64_t LawTracker::kv_blocks() const {
  int64_t kv_blocks = 0;
  for (const auto& [name, sequence] : sequences_) {
    kv_blocks += kv_blocks_for(sequence.positions);
  }
  for (const auto& [name, positions] : snapshots_) {
    kv_blocks += kv_blocks_for(positions);
  }
  return kv_blocks;
}

int64_t LawTracker::recurrent_units() const {
  int64_t units = 0;
  for (const auto& [name, sequence] : sequences_) {
    const int64_t waiting = sequence.positions - boundary_below(sequence.accepted);
    units += kRecurrentUnitsMax + kv_blocks_for(waiting) + std::ssize(sequence.captures);
  }
  return units + kRecurrentUnitsMax * std::ssize(snapshots_);
}

int64_t LawTracker::positions_max() const {
  int64_t positions = 0;
  for (const auto& [name, sequence] : sequences_) {
    positions = std::max(positions, sequence.positions);
  }
  return positions;
}

// Fitting -------------------------------------------------------------------------------------

std::optional<LawStep> LawTracker::fitted_pass(const LawStep& step) const {
  LawStep pass{.kind = Kind::kPass};
  int64_t room = shape_.rows_max;
  std::set<int> seen;
  for (LawSegment segment : step.segments) {
    const int64_t begin = positions(segment.sequence);
    const auto limited = [](int64_t rows, int64_t most) {
      return std::max<int64_t>(0, std::min(rows, most));
    };
    segment.prompt_rows = limited(segment.prompt_rows, std::min(room, shape_.tokens - begin));
    segment.other_rows =
        limited(segment.other_rows,
                std::min(room - segment.prompt_rows, shape_.context - begin - segment.prompt_rows));
    segment.stream = segment.other_rows > 0 ? std::max(segment.stream, 1) : 0;
    const bool fits = std::ssize(pass.segments) < shape_.segments_max && segment.sequence >= 0;
    if (segment.rows() == 0 || !fits || !seen.insert(segment.sequence).second) {
      continue;
    }
    const std::set<int64_t> captures(segment.captures.begin(), segment.captures.end());
    segment.captures.clear();
    std::copy_if(captures.begin(), captures.end(), std::back_inserter(segment.captures),
                 [&](int64_t at) {
                   return at % kChunkRows == 0 && at > begin && at <= begin + segment.rows();
                 });
    room -= segment.rows();
    pass.segments.push_back(std::move(segment));
  }
  return pass.segments.empty() ? std::nullopt : std::optional(pass);
}

// But for a pass; positions have been limited to those that there are.
bool LawTracker::is_possible(const LawStep& step) const {
  const bool known = has_sequence(step.sequence);
  const bool unnamed = step.sequence >= 0 && !known;
  switch (step.kind) {
    case Kind::kPass:
      break;
    case Kind::kAccept:
      return known && step.positions > accepted(step.sequence);
    case Kind::kTruncate:
      return known && step.positions < positions(step.sequence);
    case Kind::kFork:
      return unnamed && has_sequence(step.from);
    case Kind::kSnapshot:
      return known && step.snapshot >= 0 && !has_snapshot(step.snapshot) &&
             sequences_.at(step.sequence).holds(step.positions);
    case Kind::kResume:
      return unnamed && has_snapshot(step.snapshot);
    case Kind::kEvict:
      return known && positions(step.sequence) > 0;
    case Kind::kDrop:
      return known;
    case Kind::kForget:
      return has_snapshot(step.snapshot);
  }
  return false;
}

std::optional<LawStep> LawTracker::fitted(LawStep step) const {
  if (step.kind == Kind::kPass) {
    return fitted_pass(step);
  }
  step.segments.clear();
  const int of = step.kind == Kind::kFork ? step.from : step.sequence;
  step.positions = std::clamp<int64_t>(step.positions, 0, positions(of));
  step.rows = step.kind == Kind::kEvict ? std::clamp<int64_t>(step.rows, 1, shape_.rows_max) : 0;
  return is_possible(step) ? std::optional(step) : std::nullopt;
}

// Applying ------------------------------------------------------------------------------------

void LawTracker::apply_pass(const LawStep& step) {
  for (const LawSegment& segment : step.segments) {
    Sequence& sequence = sequences_[segment.sequence];
    sequence.positions += segment.rows();
    if (!segment.waits) {
      sequence.accepted = sequence.positions;
    }
    sequence.captures.insert(sequence.captures.end(), segment.captures.begin(),
                             segment.captures.end());
  }
}

void LawTracker::apply(const LawStep& step) {
  INVAR_CHECK(fitted(step) == step);
  switch (step.kind) {
    case Kind::kPass:
      apply_pass(step);
      break;
    case Kind::kAccept:
      sequences_[step.sequence].accepted = step.positions;
      break;
    case Kind::kTruncate:
      sequences_[step.sequence].truncate(step.positions);
      break;
    case Kind::kFork:
      sequences_[step.sequence] = sequences_[step.from];
      sequences_[step.sequence].truncate(step.positions);
      break;
    case Kind::kSnapshot:
      snapshots_[step.snapshot] = step.positions;
      break;
    case Kind::kResume:
      sequences_[step.sequence] = {.positions = snapshots_[step.snapshot],
                                   .accepted = snapshots_[step.snapshot]};
      break;
    case Kind::kEvict:
      sequences_[step.sequence].accepted = positions(step.sequence);
      sequences_[step.sequence].captures.clear();
      break;
    case Kind::kDrop:
      sequences_.erase(step.sequence);
      break;
    case Kind::kForget:
      snapshots_.erase(step.snapshot);
      break;
  }
}

LawSchedule fitted(const LawSchedule& schedule, const LawShape& shape) {
  LawTracker tracker(shape);
  LawSchedule result;
  for (const LawStep& step : schedule.steps) {
    if (const std::optional<LawStep> possible = tracker.fitted(step)) {
      tracker.apply(*possible);
      result.steps.push_back(*possible);
    }
  }
  return result;
}

ScheduleSizes schedule_sizes(const LawSchedule& schedule, const LawShape& shape) {
  LawTracker tracker(shape);
  ScheduleSizes sizes;
  for (const LawStep& step : schedule.steps) {
    // While a pass runs, what it accepts and what it keeps are held together.
    int64_t units = tracker.recurrent_units();
    for (const LawSegment& segment : step.segments) {
      units += std::ssize(segment.captures) +
               (tracker.has_sequence(segment.sequence) ? 0 : kRecurrentUnitsMax);
    }
    tracker.apply(step);
    units = std::max(units, tracker.recurrent_units());
    sizes.recurrent_units = std::max(sizes.recurrent_units, units);
    sizes.positions_max = std::max(sizes.positions_max, tracker.positions_max());
    sizes.kv_blocks = std::max(sizes.kv_blocks, tracker.kv_blocks());
  }
  return sizes;
}

}  // namespace invar
