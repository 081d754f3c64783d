// Taking, alternating, dropping and sharing of pages and row_blocks (recurrent_table.h).
#include "cache/recurrent_table.h"

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace invar {
namespace {

int64_t chunks_for(int64_t positions) {
  return (positions + kChunkRows - 1) / kChunkRows;
}

int64_t boundary_of(int64_t positions) {
  return positions / kChunkRows;
}

// Where the entries of chunks [begin, end) get their units: the chunk whose unit each takes over,
// or -1 for a unit of its own. Entries below `dead_below` will not be asked for once the next one
// is complete, so two units serve them by turns; a kept entry lends its unit to none.
std::vector<int64_t> plan_turns(int64_t begin, int64_t end, int64_t dead_below,
                                std::span<const int64_t> kept) {
  std::vector<int64_t> sources;
  int64_t last_users[2] = {-1, -1};
  for (int64_t chunk = begin; chunk < end; ++chunk) {
    sources.push_back(-1);
    if (std::find(kept.begin(), kept.end(), chunk) != kept.end()) {
      continue;
    }
    int64_t& user = last_users[0] == chunk - 1 ? last_users[1] : last_users[0];
    if (user >= 0 && user < dead_below) {
      sources.back() = user;
    }
    user = chunk;
  }
  return sources;
}

std::vector<int64_t> boundaries_of(std::span<const int64_t> positions) {
  std::vector<int64_t> boundaries;
  for (const int64_t position : positions) {
    INVAR_CHECK(position % kChunkRows == 0, "capture at {}", position);
    boundaries.push_back(boundary_of(position));
  }
  return boundaries;
}

}  // namespace

StateCounts recurrent_units_max(int64_t positions) {
  return StateCounts::of({.state_pages = std::min(kRecurrentUnitsMax, boundary_of(positions)),
                          .row_blocks = std::min(kRecurrentUnitsMax, chunks_for(positions))});
}

RecurrentTable::RecurrentTable(RecurrentTable&& other) noexcept : memory_(other.memory_) {
  *this = std::move(other);
}

RecurrentTable& RecurrentTable::operator=(RecurrentTable&& other) noexcept {
  if (this != &other) {
    clear();
    memory_ = other.memory_;
    positions_ = std::exchange(other.positions_, 0);
    accepted_ = std::exchange(other.accepted_, 0);
    first_chunk_ = std::exchange(other.first_chunk_, 0);
    page_ids_ = std::exchange(other.page_ids_, {});
    row_block_ids_ = std::exchange(other.row_block_ids_, {});
    captures_ = std::exchange(other.captures_, {});
    prepared_end_ = std::exchange(other.prepared_end_, 0);
    accept_to_ = std::exchange(other.accept_to_, 0);
    prepared_captures_ = std::exchange(other.prepared_captures_, {});
  }
  return *this;
}

void RecurrentTable::clear() {
  for (const int32_t page : owned(StateUnit::kStatePage)) {
    pages().release(page);
  }
  for (const int32_t row_block : owned(StateUnit::kRowBlock)) {
    rows().release(row_block);
  }
  page_ids_.clear();
  row_block_ids_.clear();
  captures_.clear();
}

std::vector<int32_t> RecurrentTable::owned(StateUnit unit) const {
  std::vector<int32_t> ids;
  if (unit == StateUnit::kRowBlock) {
    ids = row_block_ids_;
  } else if (unit == StateUnit::kStatePage) {
    std::copy_if(page_ids_.begin(), page_ids_.end(), std::back_inserter(ids),
                 [](int32_t page) { return page >= 0; });
    for (const Capture& capture : captures_) {
      ids.push_back(capture.page);
    }
  }
  return ids;
}

// Writing -------------------------------------------------------------------------------------

bool RecurrentTable::copies_open_rows() const {
  if (positions_ % kChunkRows == 0) {
    return false;
  }
  // Entries of prepared rows are never this one, so only other tables count as owners.
  return rows().references(row_block_ids_[boundary_of(positions_) - first_chunk_]) > 1;
}

StateCounts RecurrentTable::units_needed(const Write& write) const {
  INVAR_CHECK(write.end >= positions_, "write of [{}, {})", positions_, write.end);
  INVAR_CHECK(write.accept_to >= accepted_ && write.accept_to <= write.end,
              "accepts to {} of [{}, {})", write.accept_to, accepted_, write.end);
  const int64_t dead_below = boundary_of(write.accept_to);
  const std::vector<int64_t> kept = boundaries_of(write.captures);
  const auto fresh = [](const std::vector<int64_t>& sources) {
    return std::count(sources.begin(), sources.end(), -1);
  };
  return StateCounts::of(
      {.state_pages = fresh(
           plan_turns(boundary_of(positions_) + 1, boundary_of(write.end) + 1, dead_below, kept)),
       .row_blocks =
           (write.end > positions_ && copies_open_rows() ? 1 : 0) +
           fresh(plan_turns(chunks_for(positions_), chunks_for(write.end), dead_below, {}))});
}

bool RecurrentTable::prepare_write(const Write& write) {
  drop_prepared();
  const StateCounts needed = units_needed(write);
  if (needed[StateUnit::kStatePage] > pages().free_count() ||
      needed[StateUnit::kRowBlock] > rows().free_count()) {
    return false;
  }
  if (page_ids_.empty()) {
    page_ids_.push_back(-1);  // Before position 0 the state is zero.
  }
  if (write.end > positions_ && copies_open_rows()) {
    int32_t& open = row_block_ids_[boundary_of(positions_) - first_chunk_];
    const int32_t shared = std::exchange(open, memory_->allocate(StateUnit::kRowBlock));
    memory_->storage().copy({.unit = StateUnit::kRowBlock, .from = shared, .to = open});
    rows().release(shared);
  }
  append_pages(write);
  append_row_blocks(write);
  prepared_end_ = write.end;
  accept_to_ = write.accept_to;
  prepared_captures_ = boundaries_of(write.captures);
  INVAR_CHECK(prepared_captures_.empty() ||
                  (std::is_sorted(prepared_captures_.begin(), prepared_captures_.end()) &&
                   write.captures.front() > positions_ && write.captures.back() <= write.end),
              "captures outside of ({}, {}]", positions_, write.end);
  return true;
}

void RecurrentTable::append_pages(const Write& write) {
  const std::vector<int64_t> kept = boundaries_of(write.captures);
  for (const int64_t source : plan_turns(boundary_of(positions_) + 1, boundary_of(write.end) + 1,
                                         boundary_of(write.accept_to), kept)) {
    if (source < 0) {
      page_ids_.push_back(memory_->allocate(StateUnit::kStatePage));
    } else {
      page_ids_.push_back(page_ids_[source - first_chunk_]);
      pages().retain(page_ids_.back());
    }
  }
}

void RecurrentTable::append_row_blocks(const Write& write) {
  for (const int64_t source : plan_turns(chunks_for(positions_), chunks_for(write.end),
                                         boundary_of(write.accept_to), {})) {
    if (source < 0) {
      row_block_ids_.push_back(memory_->allocate(StateUnit::kRowBlock));
    } else {
      row_block_ids_.push_back(row_block_ids_[source - first_chunk_]);
      rows().retain(row_block_ids_.back());
    }
  }
}

std::span<const int32_t> RecurrentTable::state_pages(int64_t rows) const {
  INVAR_CHECK(rows > 0 && positions_ + rows <= prepared_end_, "{} + {} of {} prepared", positions_,
              rows, prepared_end_);
  const int64_t first = boundary_of(positions_);
  return std::span(page_ids_).subspan(
      static_cast<size_t>(first - first_chunk_),
      static_cast<size_t>(boundary_of(positions_ + rows) - first + 1));
}

std::span<const int32_t> RecurrentTable::row_blocks(int64_t rows) const {
  INVAR_CHECK(rows > 0 && positions_ + rows <= prepared_end_, "{} + {} of {} prepared", positions_,
              rows, prepared_end_);
  const int64_t first = boundary_of(positions_);
  return std::span(row_block_ids_)
      .subspan(static_cast<size_t>(first - first_chunk_),
               static_cast<size_t>(chunks_for(positions_ + rows) - first));
}

void RecurrentTable::advance(int64_t rows) {
  INVAR_CHECK(rows >= 0 && positions_ + rows <= prepared_end_, "{} + {} of {} prepared", positions_,
              rows, prepared_end_);
  const int64_t boundary_before = boundary_of(positions_);
  positions_ += rows;
  memory_->add_pages_written(boundary_of(positions_) - boundary_before);
  while (!prepared_captures_.empty() && prepared_captures_.front() <= boundary_of(positions_)) {
    keep_page(prepared_captures_.front());
    prepared_captures_.erase(prepared_captures_.begin());
  }
  accept(std::max(accepted_, std::min(positions_, accept_to_)));
}

void RecurrentTable::accept(int64_t positions) {
  INVAR_CHECK(positions >= accepted_ && positions <= positions_, "accept {} in [{}, {}]", positions,
              accepted_, positions_);
  accepted_ = positions;
  drop_front(boundary_of(accepted_) - first_chunk_);
}

// Dropping ------------------------------------------------------------------------------------

void RecurrentTable::drop_front(int64_t chunks) {
  if (chunks == 0) {
    return;
  }
  for (int64_t i = 0; i < chunks; ++i) {
    if (page_ids_[i] >= 0) {
      pages().release(page_ids_[i]);
    }
    rows().release(row_block_ids_[i]);
  }
  page_ids_.erase(page_ids_.begin(), page_ids_.begin() + chunks);
  row_block_ids_.erase(row_block_ids_.begin(), row_block_ids_.begin() + chunks);
  first_chunk_ += chunks;
}

// From the end: the pools then hand the same ids out in the same order again.
void RecurrentTable::drop_prepared() {
  while (std::ssize(page_ids_) > boundary_of(positions_) - first_chunk_ + 1) {
    pages().release(page_ids_.back());
    page_ids_.pop_back();
  }
  while (std::ssize(row_block_ids_) > chunks_for(positions_) - first_chunk_) {
    rows().release(row_block_ids_.back());
    row_block_ids_.pop_back();
  }
  prepared_end_ = positions_;
  prepared_captures_.clear();
}

int64_t RecurrentTable::truncate(int64_t positions) {
  INVAR_CHECK(positions >= 0 && positions <= positions_, "truncate {} positions to {}", positions_,
              positions);
  drop_captures_past(boundary_of(positions));
  if (boundary_of(positions) < first_chunk_) {
    // The rows of that chunk are gone.
    const Capture start = captures_.empty() ? Capture{} : captures_.back();
    while (!page_ids_.empty()) {
      pages().release(page_ids_.back());
      page_ids_.pop_back();
    }
    while (!row_block_ids_.empty()) {
      rows().release(row_block_ids_.back());
      row_block_ids_.pop_back();
    }
    if (start.page >= 0) {
      pages().retain(start.page);
    }
    page_ids_.push_back(start.page);
    first_chunk_ = start.boundary;
    positions = start.boundary * kChunkRows;
  }
  positions_ = positions;
  accepted_ = std::min(accepted_, positions);
  drop_prepared();
  return positions_;
}

// Sharing -------------------------------------------------------------------------------------

void RecurrentTable::share_all() const {
  for (const StateUnit unit : {StateUnit::kStatePage, StateUnit::kRowBlock}) {
    for (const int32_t id : owned(unit)) {
      memory_->share(unit, id);
    }
  }
}

RecurrentTable RecurrentTable::fork() {
  drop_prepared();
  RecurrentTable copy(*memory_);
  copy.positions_ = positions_;
  copy.accepted_ = accepted_;
  copy.first_chunk_ = first_chunk_;
  copy.page_ids_ = page_ids_;
  copy.row_block_ids_ = row_block_ids_;
  copy.captures_ = captures_;
  copy.share_all();
  copy.prepared_end_ = positions_;
  return copy;
}

std::optional<RecurrentTable> RecurrentTable::snapshot(int64_t positions) {
  INVAR_CHECK(positions >= 0 && positions <= positions_, "snapshot at {} of {}", positions,
              positions_);
  drop_prepared();
  RecurrentTable copy(*memory_);
  const int64_t boundary = boundary_of(positions);
  if (boundary >= first_chunk_) {
    const int64_t entry = boundary - first_chunk_;
    copy.page_ids_ = {page_ids_.empty() ? -1 : page_ids_[entry]};
    if (positions % kChunkRows != 0) {
      copy.row_block_ids_ = {row_block_ids_[entry]};
    }
  } else {
    const auto found = std::find_if(captures_.begin(), captures_.end(),
                                    [&](const Capture& c) { return c.boundary == boundary; });
    if (positions % kChunkRows != 0 || (boundary > 0 && found == captures_.end())) {
      return std::nullopt;
    }
    copy.page_ids_ = {boundary == 0 ? -1 : found->page};
  }
  copy.share_all();
  copy.first_chunk_ = boundary;
  copy.positions_ = positions;
  copy.accepted_ = positions;
  copy.prepared_end_ = positions;
  return copy;
}

void RecurrentTable::capture(int64_t positions) {
  const int64_t boundary = boundary_of(positions);
  INVAR_CHECK(positions % kChunkRows == 0 && positions > 0 && boundary >= first_chunk_ &&
                  positions <= positions_,
              "capture at {}: pages of [{}, {}] are held", positions, first_chunk_ * kChunkRows,
              positions_);
  drop_prepared();
  keep_page(boundary);
}

void RecurrentTable::keep_page(int64_t boundary) {
  const auto place =
      std::lower_bound(captures_.begin(), captures_.end(), boundary,
                       [](const Capture& capture, int64_t b) { return capture.boundary < b; });
  if (place != captures_.end() && place->boundary == boundary) {
    return;
  }
  const int32_t page = page_ids_[boundary - first_chunk_];
  pages().retain(page);
  captures_.insert(place, {.boundary = boundary, .page = page});
}

std::vector<int64_t> RecurrentTable::captured() const {
  std::vector<int64_t> positions;
  for (const Capture& capture : captures_) {
    positions.push_back(capture.boundary * kChunkRows);
  }
  return positions;
}

void RecurrentTable::release_capture(int64_t positions) {
  const auto found = std::find_if(captures_.begin(), captures_.end(), [&](const Capture& c) {
    return c.boundary * kChunkRows == positions;
  });
  INVAR_CHECK(found != captures_.end(), "nothing was captured at {}", positions);
  pages().release(found->page);
  captures_.erase(found);
}

void RecurrentTable::drop_captures_past(int64_t boundary) {
  while (!captures_.empty() && captures_.back().boundary > boundary) {
    pages().release(captures_.back().page);
    captures_.pop_back();
  }
}

}  // namespace invar
