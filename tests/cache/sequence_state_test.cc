// Sequences that append, reject, truncate, fork, take snapshots and resume them at random, over
// memory in which a wrong page, row_block or kv_block changes what a row reads.
#include "cache/sequence_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "cache/chunk_rows.h"

namespace invar {
namespace {

using testing::ElementsAre;

constexpr int64_t kKvBlocks = 40;

// A state with the tokens that belong to it.
struct Line {
  SequenceState state;
  std::vector<int32_t> token_ids = {};
};

class SequenceStateTest : public testing::Test {
 protected:
  // Runs one pass over rows that are prepared; tokens are random where there are none yet.
  void pass(Line& line, int64_t rows) {
    const SequenceState::Pass pass = line.state.pass(rows);
    for (int64_t p = pass.first_position; p < pass.first_position + rows; ++p) {
      if (p == std::ssize(line.token_ids)) {
        line.token_ids.push_back(static_cast<int32_t>(random_() % 1000));
      }
      const uint64_t hash = compute_row(memory_.storage(),
                                        {.first_position = pass.first_position,
                                         .kv_blocks = pass.kv_blocks,
                                         .state_pages = pass.state_pages,
                                         .row_blocks = pass.row_blocks,
                                         .kv_write_from = pass.kv_write_from},
                                        p, line.token_ids[static_cast<size_t>(p)]);
      ASSERT_EQ(hash,
                hash_of(std::span<const int32_t>(line.token_ids).first(static_cast<size_t>(p + 1))))
          << "position " << p;
    }
    line.state.advance(rows);
  }
  // Appends `rows` rows, after those that a truncation lost.
  void append(Line& line, int64_t rows, bool accept = true) {
    ASSERT_TRUE(line.state.prepare_write({.end = line.state.positions() + rows, .accept = accept}));
    pass(line, line.state.positions() + rows - line.state.computed());
  }
  static void truncate(Line& line, int64_t positions) {
    line.state.truncate(positions);
    line.token_ids.resize(static_cast<size_t>(positions));
  }
  Line make_line() { return {SequenceState(memory_)}; }

  std::mt19937 random_{20261129};
  StateMemory memory_{
      chunk_row_buffers(),
      StateCounts::of({.kv_blocks = kKvBlocks, .state_pages = 24, .row_blocks = 16})};
};

TEST_F(SequenceStateTest, ATruncationBehindTheKeptPagesComputesAgainWithoutWritingKeys) {
  Line line = make_line();
  const int64_t captures[] = {64};
  ASSERT_TRUE(line.state.prepare_write({.end = 300, .captures = captures}));
  pass(line, 300);
  EXPECT_EQ(line.state.computed(), 300);
  truncate(line, 150);
  EXPECT_EQ(line.state.positions(), 150);
  EXPECT_EQ(line.state.accepted(), 150);
  EXPECT_EQ(line.state.computed(), 64);
  // Drafts right after it: the rows before them are accepted again, the drafts are not.
  ASSERT_TRUE(line.state.prepare_write({.end = 155, .accept = false}));
  EXPECT_EQ(line.state.pass(10).kv_write_from, 150);
  pass(line, 91);
  EXPECT_EQ(line.state.computed(), 155);
  EXPECT_EQ(line.state.accepted(), 150);
  line.state.truncate(150);
  EXPECT_EQ(line.state.computed(), 150);
}

TEST_F(SequenceStateTest, SharedKvBlocksAreNotCopiedForRowsThatAreComputedAgain) {
  Line line = make_line();
  append(line, 300);
  Line sibling{line.state.fork(), line.token_ids};
  truncate(sibling, 192);
  EXPECT_EQ(sibling.state.computed(), 0);
  append(sibling, 10);
  EXPECT_EQ(memory_.storage().copied(), StateCounts());
  append(line, 10);
}

TEST_F(SequenceStateTest, RefusesWhenAnyPoolLacksUnits) {
  Line line = make_line();
  append(line, 100);
  std::deque<Line> others;
  for (int i = 0; i < 15; ++i) {
    others.push_back(make_line());
    append(others.back(), 1);
  }
  const SequenceState::Write write{.end = 200};
  EXPECT_FALSE(line.state.prepare_write(write));
  EXPECT_EQ(describe_lack(memory_, line.state.units_needed(write)),
            "2 row_blocks needed, 0 of 16 free");
  append(line, 10);
  const SequenceState::Write long_write{.end = 64 * kKvBlocks};
  EXPECT_FALSE(line.state.prepare_write(long_write));
  others.clear();
  EXPECT_TRUE(line.state.prepare_write(long_write));
  Line other = make_line();
  EXPECT_FALSE(other.state.prepare_write({.end = 1}));
  EXPECT_EQ(describe_lack(memory_, other.state.units_needed({.end = 1})),
            "1 kv_blocks needed, 0 of 40 free");
  const SequenceState* states[] = {&line.state};
  EXPECT_EQ(check_owners(memory_, states), "");
  EXPECT_NE(check_owners(memory_, {}), "");
}

TEST_F(SequenceStateTest, CapturesAreKeptUntilTruncatedOrReleased) {
  Line line = make_line();
  append(line, 128);
  line.state.capture(128);
  append(line, 100);
  EXPECT_THAT(line.state.captured(), ElementsAre(128));
  truncate(line, 130);
  EXPECT_EQ(line.state.computed(), 128);
  append(line, 100);
  line.state.release_capture(128);
  truncate(line, 130);
  EXPECT_EQ(line.state.computed(), 0);
}

TEST(SequenceStateWithoutRecurrence, HoldsKvBlocksAlone) {
  const std::vector<StateBufferSpec> buffers = {{.name = "keys", .columns = 64}};
  StateMemory memory(buffers, StateCounts::of({.kv_blocks = 6, .state_pages = 9, .row_blocks = 9}));
  EXPECT_EQ(memory.counts(), StateCounts::of({.kv_blocks = 6}));
  SequenceState state(memory);
  const int64_t captures[] = {64};
  ASSERT_TRUE(state.prepare_write({.end = 130, .captures = captures}));
  EXPECT_EQ(state.pass(130).kv_blocks.size(), 3u);
  EXPECT_TRUE(state.pass(130).state_pages.empty());
  state.advance(130);
  ASSERT_TRUE(state.prepare_write({.end = 135, .accept = false}));
  state.advance(5);
  EXPECT_EQ(state.accepted(), 130);
  state.accept(132);
  state.truncate(70);
  EXPECT_EQ(state.computed(), 70);
  EXPECT_EQ(state.accepted(), 70);
  EXPECT_TRUE(state.snapshot(13).has_value());
  EXPECT_TRUE(state.captured().empty());
  EXPECT_EQ(memory.held_counts(), StateCounts::of({.kv_blocks = 2}));
}

class RandomSequencesTest : public SequenceStateTest {
 protected:
  int64_t below(int64_t count) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(count));
  }
  Line& any(std::vector<Line>& lines) {
    return lines[static_cast<size_t>(below(std::ssize(lines)))];
  }

  // One append, in passes of random lengths, some of them after a fork that came and went.
  void append_some(Line& line, int64_t rows_max) {
    SequenceState& state = line.state;
    const int64_t end = state.positions() + 1 + below(rows_max);
    std::vector<int64_t> captures;
    for (int64_t c = state.computed() / 64 * 64 + 64; c <= end; c += 64) {
      if (below(6) == 0) {
        captures.push_back(c);
      }
    }
    computed_again_ += state.computed() < state.positions() ? 1 : 0;
    if (!state.prepare_write({.end = end, .accept = below(3) > 0, .captures = captures})) {
      refusals_ += 1;
      return;
    }
    while (state.computed() < end && state.prepared() == end) {
      ASSERT_NO_FATAL_FAILURE(pass(line, 1 + below(end - state.computed())));
      if (below(10) == 0) {
        state.fork();
      }
    }
  }

  void share_some(int64_t action) {
    Line& line = any(lines_);
    if (action == 0 && lines_.size() < 7) {
      lines_.push_back({line.state.fork(), line.token_ids});
    } else if (action == 1 && snapshots_.size() < 3) {
      const int64_t positions = line.state.positions();
      const int64_t at = below(2) == 0 ? positions : below(positions + 1);
      if (auto snapshot = line.state.snapshot(at)) {
        snapshots_.push_back({std::move(*snapshot), line.token_ids});
        snapshots_.back().token_ids.resize(static_cast<size_t>(at));
      }
    } else if (action == 2 && !snapshots_.empty() && lines_.size() < 7) {
      Line& from = any(snapshots_);
      lines_.push_back({from.state.fork(), from.token_ids});
      resumed_ += 1;
    } else if (action == 3 && lines_.size() > 1) {
      lines_.erase(lines_.begin() + below(std::ssize(lines_)));
    } else if (action == 4 && !snapshots_.empty()) {
      snapshots_.erase(snapshots_.begin() + below(std::ssize(snapshots_)));
    }
  }

  std::string check() const {
    std::vector<const SequenceState*> states;
    for (const std::vector<Line>* lines : {&lines_, &snapshots_}) {
      for (const Line& line : *lines) {
        states.push_back(&line.state);
      }
    }
    return check_owners(memory_, states);
  }

  std::vector<Line> lines_;
  std::vector<Line> snapshots_;
  int refusals_ = 0;
  int computed_again_ = 0;
  int resumed_ = 0;
};

TEST_F(RandomSequencesTest, ReadTheirOwnPrefix) {
  memory_.poison_allocated(true);
  lines_.push_back(make_line());
  for (int turn = 0; turn < 6000; ++turn) {
    Line& line = any(lines_);
    SequenceState& state = line.state;
    const int64_t action = below(20);
    if (action < 9) {
      ASSERT_NO_FATAL_FAILURE(append_some(line, action == 0 ? 300 : 40));
    } else if (action < 11) {
      state.accept(state.accepted() + below(state.positions() - state.accepted() + 1));
    } else if (action < 13) {
      const int64_t computed = state.computed();
      truncate(line, state.accepted() + below(state.positions() - state.accepted() + 1));
      // A rejection loses nothing.
      ASSERT_EQ(state.computed(), std::min(computed, state.positions()));
    } else if (action < 14) {
      truncate(line, below(state.positions() + 1));
    } else {
      share_some(action - 14);
    }
    ASSERT_EQ(check(), "") << "turn " << turn;
    ASSERT_EQ(memory_.storage().copied()[StateUnit::kStatePage], 0);
  }
  EXPECT_GT(refusals_, 20);
  EXPECT_GT(computed_again_, 20);
  EXPECT_GT(resumed_, 20);
  EXPECT_GT(memory_.storage().copied()[StateUnit::kRowBlock], 50);
  lines_.clear();
  snapshots_.clear();
  EXPECT_EQ(memory_.held_counts(), StateCounts());
}

}  // namespace
}  // namespace invar
