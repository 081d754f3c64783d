// All state of one sequence behind one interface: its kv_blocks where the program has paged state,
// its pages and row_blocks where it has recurrent layers. What the engine's sequences and timelines
// hold.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cache/kv_block_table.h"
#include "cache/recurrent_table.h"

namespace invar {

// Move-only; the memory must outlive it. Not thread-safe.
//
// The three counts, computed() <= positions() and accepted() <= positions():
//   positions  that the sequence has; all their paged state is present
//   computed   where the next pass must begin. Less than positions() only after a truncation that
//              lost recurrent state: rows in between are computed again, without writing paged
//              state
//   accepted   rows that will not be rejected; a rejection is truncate(p) with p >= accepted()
class SequenceState {
 public:
  explicit SequenceState(StateMemory& memory);

  int64_t positions() const { return positions_; }
  int64_t computed() const { return recurrent_ ? recurrent_->positions() : positions_; }
  int64_t accepted() const { return accepted_; }

  // Rows [computed(), end) are going to be computed, by one pass or several.
  struct Write {
    int64_t end = 0;
    // The rows count as accepted as soon as they are computed. If not, they wait for accept(): what
    // they need besides kv_blocks then grows with them.
    bool accept = true;
    // Multiples of kChunkRows in (computed(), end], ascending: the recurrent state there is
    // kept, so that truncations and snapshots can go back to it.
    std::span<const int64_t> captures = {};
  };
  // The free units that prepare_write would take.
  StateCounts units_needed(const Write& write) const;
  // False: the pools have too few free units, and no row was lost. It replaces what an earlier call
  // prepared and no pass computed.
  [[nodiscard]] bool prepare_write(const Write& write);
  // Rows below are computed or prepared. Forks, snapshots and captures let go of prepared rows,
  // because what they share must not be written.
  int64_t prepared() const { return prepared_; }

  // For the pass tables: where the next `rows` rows, which are prepared, find their state.
  struct Pass {
    int64_t first_position = 0;
    std::span<const int32_t> kv_blocks;
    std::span<const int32_t> state_pages;
    std::span<const int32_t> row_blocks;
    int64_t kv_write_from = 0;  // the paged state of positions below is there and stays as it is
  };
  Pass pass(int64_t rows) const;
  // A pass computed the next `rows` rows.
  void advance(int64_t rows);

  // Positions up to `positions` will not be rejected.
  void accept(int64_t positions);
  // Forgets the positions from `positions` on. Rejecting rows that were not accepted, or rows of
  // the last accepted chunk, costs nothing; deeper truncations leave rows to compute again.
  void truncate(int64_t positions);

  // A second state with the same rows; units are shared until one of the two writes.
  SequenceState fork();
  // A state that ends, accepted, at `positions`, and holds no more than what is needed to go on
  // there without computing a row again. Empty if that recurrent state is gone.
  [[nodiscard]] std::optional<SequenceState> snapshot(int64_t positions);

  // Keeps the recurrent state of boundary `positions`, which must be held now.
  void capture(int64_t positions);
  std::vector<int64_t> captured() const;
  void release_capture(int64_t positions);

  std::span<const int32_t> kv_blocks() const {
    return kv_blocks_ ? kv_blocks_->kv_blocks() : std::span<const int32_t>{};
  }
  // One for each reference that this state holds, for integrity checks.
  std::vector<int32_t> owned(StateUnit unit) const;

 private:
  SequenceState(std::optional<KvBlockTable> kv_blocks, std::optional<RecurrentTable> recurrent)
      : kv_blocks_(std::move(kv_blocks)), recurrent_(std::move(recurrent)) {}

  RecurrentTable::Write recurrent_write(const Write& write) const;
  std::optional<KvBlockTable> fork_kv_blocks(int64_t positions) const;

  int64_t positions_ = 0;
  int64_t accepted_ = 0;
  int64_t prepared_ = 0;
  bool accept_when_computed_ = true;
  // Each absent where the program has no such state.
  std::optional<KvBlockTable> kv_blocks_;
  std::optional<RecurrentTable> recurrent_;
};

// What the pools lack of `needed`, for messages: "3 kv_blocks needed, 2 of 2 free".
std::string describe_lack(const StateMemory& memory, const StateCounts& needed);

// The references of `states` against the pools' counts: the first unit whose numbers differ, in
// words, or an empty string. Also checks the pools themselves.
std::string check_owners(const StateMemory& memory, std::span<const SequenceState* const> states);

}  // namespace invar
