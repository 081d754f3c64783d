// One verb for both tables (sequence_state.h).
#include "cache/sequence_state.h"

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace invar {

SequenceState::SequenceState(StateMemory& memory) {
  if (memory.has_paged_state()) {
    kv_blocks_.emplace(memory);
  }
  if (memory.has_recurrent_state()) {
    recurrent_.emplace(memory);
  }
}

RecurrentTable::Write SequenceState::recurrent_write(const Write& write) const {
  // Rows that are computed again were accepted once.
  const int64_t accept_to = write.accept ? write.end : std::min(accepted_, write.end);
  return {.end = write.end,
          .accept_to = std::max(accept_to, recurrent_->accepted()),
          .captures = write.captures};
}

StateCounts SequenceState::units_needed(const Write& write) const {
  INVAR_CHECK(write.end >= computed(), "write of [{}, {})", computed(), write.end);
  StateCounts needed;
  if (kv_blocks_ && write.end > positions_) {
    needed[StateUnit::kKvBlock] =
        kv_blocks_->kv_blocks_needed({.begin = positions_, .end = write.end});
  }
  if (recurrent_) {
    needed += recurrent_->units_needed(recurrent_write(write));
  }
  return needed;
}

bool SequenceState::prepare_write(const Write& write) {
  if (kv_blocks_) {
    kv_blocks_->truncate(positions_);
  }
  prepared_ = computed();
  if (recurrent_ && !recurrent_->prepare_write(recurrent_write(write))) {
    return false;
  }
  if (kv_blocks_ && write.end > positions_ &&
      !kv_blocks_->prepare_write({.begin = positions_, .end = write.end})) {
    if (recurrent_) {
      recurrent_->drop_prepared();
    }
    return false;
  }
  prepared_ = write.end;
  accept_when_computed_ = write.accept;
  return true;
}

SequenceState::Pass SequenceState::pass(int64_t rows) const {
  INVAR_CHECK(rows > 0 && computed() + rows <= prepared(), "{} + {} of {} prepared", computed(),
              rows, prepared());
  Pass pass{.first_position = computed(),
            .kv_blocks = kv_blocks(),
            .state_pages = {},
            .row_blocks = {},
            .kv_write_from = positions_};
  if (recurrent_) {
    pass.state_pages = recurrent_->state_pages(rows);
    pass.row_blocks = recurrent_->row_blocks(rows);
  }
  return pass;
}

void SequenceState::advance(int64_t rows) {
  INVAR_CHECK(rows >= 0 && computed() + rows <= prepared(), "{} + {} of {} prepared", computed(),
              rows, prepared());
  const int64_t end = computed() + rows;
  if (recurrent_) {
    recurrent_->advance(rows);
  }
  positions_ = std::max(positions_, end);
  if (accept_when_computed_) {
    accepted_ = std::max(accepted_, end);
  }
}

void SequenceState::accept(int64_t positions) {
  INVAR_CHECK(positions >= accepted_ && positions <= positions_, "accept {} in [{}, {}]", positions,
              accepted_, positions_);
  accepted_ = positions;
  if (recurrent_) {
    recurrent_->accept(std::max(recurrent_->accepted(), std::min(positions, computed())));
  }
}

void SequenceState::truncate(int64_t positions) {
  INVAR_CHECK(positions >= 0 && positions <= positions_, "truncate {} positions to {}", positions_,
              positions);
  if (kv_blocks_) {
    kv_blocks_->truncate(positions);
  }
  if (recurrent_) {
    const int64_t left = recurrent_->truncate(std::min(positions, recurrent_->positions()));
    INVAR_CHECK(left <= positions);
  }
  positions_ = positions;
  accepted_ = std::min(accepted_, positions);
  prepared_ = computed();
}

std::optional<KvBlockTable> SequenceState::fork_kv_blocks(int64_t positions) const {
  return kv_blocks_ ? std::optional(kv_blocks_->fork(positions)) : std::nullopt;
}

SequenceState SequenceState::fork() {
  SequenceState copy(fork_kv_blocks(positions_), std::nullopt);
  if (recurrent_) {
    copy.recurrent_ = recurrent_->fork();
  }
  prepared_ = computed();
  copy.positions_ = positions_;
  copy.accepted_ = accepted_;
  copy.prepared_ = copy.computed();
  return copy;
}

std::optional<SequenceState> SequenceState::snapshot(int64_t positions) {
  INVAR_CHECK(positions >= 0 && positions <= positions_, "snapshot at {} of {}", positions,
              positions_);
  std::optional<RecurrentTable> recurrent;
  if (recurrent_) {
    if (positions <= recurrent_->positions()) {
      recurrent = recurrent_->snapshot(positions);
    }
    if (!recurrent) {
      return std::nullopt;
    }
  }
  prepared_ = computed();
  SequenceState copy(fork_kv_blocks(positions), std::move(recurrent));
  copy.positions_ = positions;
  copy.accepted_ = positions;
  copy.prepared_ = positions;
  return copy;
}

void SequenceState::capture(int64_t positions) {
  if (recurrent_) {
    recurrent_->capture(positions);
    prepared_ = computed();
  }
}

std::vector<int64_t> SequenceState::captured() const {
  return recurrent_ ? recurrent_->captured() : std::vector<int64_t>{};
}

void SequenceState::release_capture(int64_t positions) {
  if (recurrent_) {
    recurrent_->release_capture(positions);
  }
}

std::vector<int32_t> SequenceState::owned(StateUnit unit) const {
  if (unit == StateUnit::kKvBlock) {
    return {kv_blocks().begin(), kv_blocks().end()};
  }
  return recurrent_ ? recurrent_->owned(unit) : std::vector<int32_t>{};
}

std::string describe_lack(const StateMemory& memory, const StateCounts& needed) {
  std::string text;
  for (const StateUnit unit : kStateUnits) {
    const StateUnitPool& pool = memory.pool(unit);
    if (needed[unit] > pool.free_count()) {
      text += fmt::format("{}{} {}s needed, {} of {} free", text.empty() ? "" : "; ", needed[unit],
                          name_of(unit), pool.free_count(), pool.count());
    }
  }
  return text;
}

std::string check_owners(const StateMemory& memory, std::span<const SequenceState* const> states) {
  if (std::string broken = memory.check_integrity(); !broken.empty()) {
    return broken;
  }
  for (const StateUnit unit : kStateUnits) {
    const StateUnitPool& pool = memory.pool(unit);
    std::vector<int32_t> owners(pool.count(), 0);
    for (const SequenceState* state : states) {
      for (const int32_t id : state->owned(unit)) {
        owners[id] += 1;
      }
    }
    for (int32_t id = 0; id < pool.count(); ++id) {
      if (owners[id] != pool.references(id)) {
        return fmt::format("{} {}: {} references, {} owners", name_of(unit), id,
                           pool.references(id), owners[id]);
      }
    }
  }
  return {};
}

}  // namespace invar
