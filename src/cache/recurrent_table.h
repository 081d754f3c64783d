// The recurrent state of one sequence: its pages at chunk boundaries and the row_blocks of the
// chunks from its last accepted boundary on. A page is never rewritten while anyone may need it, so
// sharing one is a reference; a shared row_block is copied before it is written, by whoever writes
// first.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "backend/ops/chunk_place.h"
#include "cache/state_memory.h"

namespace invar {

// What a sequence of `positions` positions may hold besides captured pages, when it accepts its
// rows as soon as they are computed: the pages of its last boundary and of two more that a pass
// writes by turns, and the row_blocks of its open chunk and of two more.
inline constexpr int64_t kRecurrentUnitsMax = 3;
StateCounts recurrent_units_max(int64_t positions);

// Owns one reference for each of its entries; move-only. The memory must outlive it. Positions are
// counts: a boundary is a multiple of kChunkRows. Not thread-safe.
class RecurrentTable {
 public:
  explicit RecurrentTable(StateMemory& memory) : memory_(&memory) {}
  ~RecurrentTable() { clear(); }
  RecurrentTable(RecurrentTable&& other) noexcept;
  RecurrentTable& operator=(RecurrentTable&& other) noexcept;
  RecurrentTable(const RecurrentTable&) = delete;
  RecurrentTable& operator=(const RecurrentTable&) = delete;

  int64_t positions() const { return positions_; }  // whose rows are present
  int64_t accepted() const { return accepted_; }    // that no truncation of drafts goes below

  // Rows [positions(), end) are going to be computed, by one pass or several.
  struct Write {
    int64_t end = 0;
    // Rows below this count as accepted as soon as they are computed; at least accepted().
    int64_t accept_to = 0;
    // Boundaries in (positions(), end], ascending, whose pages are kept once they are written.
    std::span<const int64_t> captures = {};
  };
  // The free units that prepare_write would take.
  StateCounts units_needed(const Write& write) const;
  // Takes the units and copies the open chunk's row_block if it is shared. Replaces what an earlier
  // call prepared and no pass computed. False: too few are free, and nothing changed but that.
  [[nodiscard]] bool prepare_write(const Write& write);

  // Lets go of rows that were prepared and not computed.
  void drop_prepared();

  // For the pass tables: rows [positions(), positions() + rows), which are prepared. The page of
  // each boundary from the first row's chunk on (-1: the zero state before position 0), up to the
  // last that the rows reach; and the row_block of each chunk.
  std::span<const int32_t> state_pages(int64_t rows) const;
  std::span<const int32_t> row_blocks(int64_t rows) const;

  // The next `rows` prepared rows were computed.
  void advance(int64_t rows);

  // Positions up to `positions` will not be rejected. Releases what only they needed.
  void accept(int64_t positions);

  // Forgets the rows from `positions` on. What is left ends at the returned count: `positions`,
  // unless it lies before the page of the last accepted boundary. Then it is the deepest boundary
  // whose page was captured, or 0, and rows from there must be computed again.
  [[nodiscard]] int64_t truncate(int64_t positions);

  // The three that follow let go of rows that were prepared and not computed: those may write by
  // turns into what is shared here.

  // A second table with the same rows. Captured pages are shared too.
  RecurrentTable fork();

  // A table that ends, accepted, at `positions` and holds only what is needed to go on there: a
  // page, and the row_block of a chunk that is open there. Empty if that needs rows that are gone.
  [[nodiscard]] std::optional<RecurrentTable> snapshot(int64_t positions);

  // Keeps the page of boundary `positions`, which must be held now, until it is truncated away.
  void capture(int64_t positions);
  // Boundaries whose pages are kept, ascending.
  std::vector<int64_t> captured() const;
  void release_capture(int64_t positions);

  // One for each reference that this table holds, for integrity checks.
  std::vector<int32_t> owned(StateUnit unit) const;

 private:
  struct Capture {
    int64_t boundary = 0;  // in chunks
    int32_t page = -1;
  };

  StateUnitPool& pages() const { return memory_->pool(StateUnit::kStatePage); }
  StateUnitPool& rows() const { return memory_->pool(StateUnit::kRowBlock); }
  bool copies_open_rows() const;
  void append_pages(const Write& write);
  void append_row_blocks(const Write& write);
  void drop_front(int64_t chunks);
  void keep_page(int64_t boundary);
  void drop_captures_past(int64_t boundary);
  void share_all() const;
  void clear();

  StateMemory* memory_;
  int64_t positions_ = 0;
  int64_t accepted_ = 0;
  // Entries from chunk first_chunk_ on: the page of each boundary and the row_block of each chunk.
  // An id may be listed several times, once for each reference: boundaries that nobody will ask for
  // again lend their page to later ones. Without entries there are no pages but the zero state.
  int64_t first_chunk_ = 0;
  std::vector<int32_t> page_ids_;
  std::vector<int32_t> row_block_ids_;
  std::vector<Capture> captures_;  // by boundary
  // Of the prepared rows.
  int64_t prepared_end_ = 0;
  int64_t accept_to_ = 0;
  std::vector<int64_t> prepared_captures_;  // boundaries
};

}  // namespace invar
