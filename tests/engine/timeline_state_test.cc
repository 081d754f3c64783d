// Timelines over paged and recurrent state: drafts, rejections, truncations that compute rows
// again, forks inside a chunk and snapshots give the logits of the prefix and no other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "core/error.h"
#include "engine/fake_runner.h"
#include "engine/timeline.h"

namespace invar {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kVocabulary = 40;

std::vector<int32_t> random_ids(int64_t count, uint32_t seed = 5) {
  std::mt19937 random(seed);
  std::vector<int32_t> ids(count);
  for (int32_t& id : ids) {
    id = static_cast<int32_t>(random() % kVocabulary);
  }
  return ids;
}

std::vector<float> expected_row(std::span<const int32_t> ids) {
  return FakeRunner::logits_after(ids, kVocabulary);
}

class TimelineStateTest : public testing::Test {
 protected:
  TimelineStateTest() { runner_.state_memory().poison_allocated(true); }

  // Appends to a line that holds the first positions of `ids`, up to `end`.
  void extend(Timeline& line, std::span<const int32_t> ids, int64_t end, bool accept = true) {
    const int64_t begin = line.positions();
    EXPECT_EQ(line.append({.token_ids = ids.subspan(static_cast<size_t>(begin),
                                                    static_cast<size_t>(end - begin)),
                           .accept = accept}),
              expected_row(ids.first(static_cast<size_t>(end))));
  }
  int64_t held(StateUnit unit) { return runner_.state_memory().pool(unit).held_count(); }
  StateCounts copied() { return runner_.state_storage().copied(); }

  FakeRunner runner_{{.context_positions = 1000,
                      .kv_blocks = 48,
                      .rows_max = 150,
                      .segments_max = 3,
                      .logit_rows_max = 150},
                     kVocabulary,
                     FakeState::kPagedAndRecurrent};
  const std::vector<int32_t> ids_ = random_ids(1000);
};

TEST_F(TimelineStateTest, EveryCutGivesTheSameRows) {
  std::vector<float> expected;
  for (int64_t i = 1; i <= 400; ++i) {
    const std::vector<float> row = expected_row(std::span(ids_).first(static_cast<size_t>(i)));
    expected.insert(expected.end(), row.begin(), row.end());
  }
  const std::span<const int32_t> ids = std::span(ids_).first(400);
  for (const std::vector<int64_t>& pieces :
       {std::vector<int64_t>{}, {63, 1, 1, 63, 128, 144}, {64, 64, 150, 122}, {1, 127, 130, 142}}) {
    Timeline line(runner_);
    EXPECT_EQ(line.append({.token_ids = ids, .pieces = pieces, .rows = LogitRows::kAll}), expected);
    EXPECT_EQ(held(StateUnit::kStatePage), 1);
    EXPECT_EQ(held(StateUnit::kRowBlock), 1);
  }
  Timeline line(runner_);
  for (int64_t i = 1; i <= 400; ++i) {
    extend(line, ids, i);
  }
  EXPECT_EQ(copied(), StateCounts());
}

TEST_F(TimelineStateTest, ALongPrefillNeedsThreePages) {
  int64_t pages_max = 0;
  int64_t row_blocks_max = 0;
  runner_.on_run = [&] {
    pages_max = std::max(pages_max, held(StateUnit::kStatePage));
    row_blocks_max = std::max(row_blocks_max, held(StateUnit::kRowBlock));
  };
  Timeline line(runner_);
  extend(line, ids_, 70);
  extend(line, ids_, 1000);
  EXPECT_EQ(pages_max, kRecurrentUnitsMax);
  EXPECT_EQ(row_blocks_max, kRecurrentUnitsMax);
}

TEST_F(TimelineStateTest, RejectedDraftsLeaveNoTrace) {
  Timeline line(runner_);
  extend(line, ids_, 120);
  const std::vector<int32_t> wrong = random_ids(1000, 6);
  for (int64_t accepted = 120; accepted < 330; accepted += 7) {
    // Seven drafts are right, up to thirty more are not.
    std::vector<int32_t> drafts(ids_.begin(), ids_.begin() + accepted + 7);
    drafts.insert(drafts.end(), wrong.begin(), wrong.begin() + accepted % 30);
    extend(line, drafts, std::ssize(drafts), /*accept=*/false);
    EXPECT_EQ(line.accepted(), accepted);
    line.accept(7);
    EXPECT_EQ(line.accepted(), accepted + 7);
    const int64_t rows_before = runner_.rows;
    line.truncate(line.accepted());
    extend(line, ids_, line.positions() + 1, /*accept=*/false);
    line.truncate(line.accepted());
    EXPECT_EQ(runner_.rows, rows_before + 1);  // nothing was computed again
  }
  EXPECT_EQ(copied(), StateCounts());
}

TEST_F(TimelineStateTest, ADeepTruncationResumesAtTheKeptBoundary) {
  Timeline line(runner_);
  const int64_t captures[] = {128, 320};
  line.append({.token_ids = std::span(ids_).first(500), .captures = captures});
  EXPECT_THAT(line.state().captured(), ElementsAre(128, 320));
  int64_t rows = runner_.rows;
  line.truncate(330);
  EXPECT_EQ(line.positions(), 330);
  EXPECT_EQ(line.state().computed(), 320);
  extend(line, ids_, 400);
  EXPECT_EQ(runner_.rows - rows, 80);
  rows = runner_.rows;
  line.truncate(300);
  extend(line, ids_, 301, /*accept=*/false);
  EXPECT_EQ(runner_.rows - rows, 301 - 128);
  EXPECT_EQ(line.accepted(), 300);
  rows = runner_.rows;
  line.truncate(100);
  EXPECT_THAT(line.state().captured(), ElementsAre());
  // Before the next append, further back; then in passes as the caller cuts them.
  line.truncate(90);
  const int64_t pieces[] = {40, 60};
  EXPECT_EQ(line.append({.token_ids = std::span(ids_).subspan(90, 100), .pieces = pieces}),
            expected_row(std::span(ids_).first(190)));
  EXPECT_EQ(runner_.rows - rows, 190);
}

TEST_F(TimelineStateTest, TruncatingTheAcceptedChunkComputesNothingAgain) {
  Timeline line(runner_);
  extend(line, ids_, 127);
  const int64_t rows = runner_.rows;
  line.truncate(70);
  extend(line, ids_, 71);
  line.truncate(64);
  extend(line, ids_, 65);
  EXPECT_EQ(runner_.rows - rows, 2);
}

TEST_F(TimelineStateTest, ForksInsideAChunkGoTheirOwnWays) {
  Timeline line(runner_);
  extend(line, ids_, 100);
  Timeline sibling = line.fork();
  Timeline third = sibling.fork();
  std::vector<int32_t> other = ids_;
  std::fill(other.begin() + 100, other.end(), 3);
  extend(sibling, other, 130);
  extend(line, ids_, 150);
  std::vector<int32_t> another = ids_;
  std::fill(another.begin() + 100, another.end(), 4);
  extend(third, another, 101);
  EXPECT_EQ(copied(), StateCounts::of({.kv_blocks = 2, .row_blocks = 2}));
  extend(sibling, other, 200);
  sibling.truncate(100);
  extend(sibling, ids_, 200);
  EXPECT_EQ(copied()[StateUnit::kStatePage], 0);
}

TEST_F(TimelineStateTest, ASinkMayForkTheLineThatItReads) {
  Timeline line(runner_);
  std::vector<Timeline> forks;
  line.append({.token_ids = std::span(ids_).first(500), .rows = LogitRows::kAll},
              [&](int64_t position, std::span<const float> /*logits*/) {
                if (position % 150 == 149) {
                  forks.push_back(line.fork());
                }
              });
  ASSERT_EQ(forks.size(), 3u);
  extend(line, ids_, 501);
  for (Timeline& fork : forks) {
    extend(fork, ids_, 510);
  }
}

TEST_F(TimelineStateTest, SnapshotsResumeWhereTheyWereTaken) {
  std::optional<TimelineSnapshot> live;
  std::optional<TimelineSnapshot> earlier;
  std::optional<TimelineSnapshot> captured;
  {
    Timeline line(runner_);
    const int64_t captures[] = {64};
    line.append({.token_ids = std::span(ids_).first(200), .captures = captures});
    live = line.snapshot();
    earlier = line.snapshot_at(195);
    captured = line.snapshot_at(64);
    EXPECT_FALSE(line.snapshot_at(128).has_value());
    EXPECT_FALSE(line.snapshot_at(191).has_value());
    extend(line, ids_, 300);
  }
  EXPECT_EQ(live->positions(), 200);
  EXPECT_EQ(held(StateUnit::kStatePage), 2);
  const int64_t rows = runner_.rows;
  for (int round = 0; round < 2; ++round) {
    Timeline from_live(runner_, *live);
    Timeline from_earlier(runner_, *earlier);
    Timeline from_captured(runner_, *captured);
    extend(from_live, ids_, 270);
    extend(from_earlier, ids_, 196);
    extend(from_captured, ids_, 65);
  }
  EXPECT_EQ(runner_.rows - rows, 2 * (70 + 1 + 1));
  live.reset();
  earlier.reset();
  captured.reset();
  EXPECT_EQ(runner_.state_memory().held_counts(), StateCounts());
}

TEST_F(TimelineStateTest, ASnapshotAfterADeepTruncationComputesAgainWhenResumed) {
  Timeline line(runner_);
  extend(line, ids_, 200);
  line.truncate(100);
  EXPECT_FALSE(line.snapshot_at(100).has_value());
  const TimelineSnapshot snapshot = line.snapshot();
  Timeline resumed(runner_, snapshot);
  extend(resumed, ids_, 150);
  extend(line, ids_, 150);
}

TEST_F(TimelineStateTest, CaptureKeepsAHeldBoundary) {
  Timeline line(runner_);
  extend(line, ids_, 200);
  line.capture(192);
  extend(line, ids_, 400);
  line.truncate(210);
  EXPECT_EQ(line.state().computed(), 192);
  extend(line, ids_, 400);
}

TEST_F(TimelineStateTest, AnExhaustedPoolAppendsNothing) {
  FakeRunner small({.context_positions = 1000, .kv_blocks = 48, .state_pages = 3, .row_blocks = 4},
                   kVocabulary, FakeState::kPagedAndRecurrent);
  Timeline line(small);
  extend(line, ids_, 70);
  try {
    line.append({.token_ids = std::span(ids_).subspan(70, 300), .accept = false});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kExhausted);
    EXPECT_THAT(error.what(), HasSubstr("4 state_pages needed, 2 of 3 free; 4 row_blocks needed, 3 "
                                        "of 4 free"));
  }
  EXPECT_EQ(line.positions(), 70);
  extend(line, ids_, 1000);
}

TEST_F(TimelineStateTest, APassThatFailsCanBeRepeated) {
  Timeline line(runner_);
  extend(line, ids_, 100);
  bool fails = false;
  int passes = 0;
  runner_.on_run = [&] {
    passes += 1;
    if (fails && passes == 2) {
      fail(Code::kExhausted, "planned failure");
    }
  };
  fails = true;
  passes = 0;
  EXPECT_THROW(line.append({.token_ids = std::span(ids_).subspan(100, 300)}), Error);
  EXPECT_EQ(line.positions(), 250);
  fails = false;
  extend(line, ids_, 400);
}

// Lines, drafts, truncations, forks and snapshots at random.
TEST_F(TimelineStateTest, RandomUseGivesTheLogitsOfThePrefix) {
  struct Line {
    Timeline timeline;
    std::vector<int32_t> ids;
  };
  struct Kept {
    TimelineSnapshot snapshot;
    std::vector<int32_t> ids;
  };
  std::mt19937 random(11);
  const auto below = [&](int64_t count) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(count));
  };
  std::vector<Line> lines;
  std::vector<Kept> kept;
  lines.push_back({Timeline(runner_), {}});
  int refusals = 0;
  for (int turn = 0; turn < 1500; ++turn) {
    Line& line = lines[static_cast<size_t>(below(std::ssize(lines)))];
    const int64_t positions = line.timeline.positions();
    const int64_t action = below(12);
    if (action < 6) {
      const int64_t count = std::min(1 + below(action == 0 ? 300 : 30), 1000 - positions);
      if (count == 0) {
        continue;
      }
      std::vector<int32_t> ids = line.ids;
      const std::vector<int32_t> more = random_ids(count, static_cast<uint32_t>(random()));
      ids.insert(ids.end(), more.begin(), more.end());
      try {
        extend(line.timeline, ids, std::ssize(ids), below(2) == 0);
        line.ids = ids;
      } catch (const Error& error) {
        ASSERT_EQ(error.code(), Code::kExhausted);
        refusals += 1;
      }
    } else if (action < 8) {
      const int64_t least = action == 6 ? line.timeline.accepted() : 0;
      const int64_t left = least + below(positions - least + 1);
      line.timeline.truncate(left);
      line.ids.resize(static_cast<size_t>(left));
    } else if (action < 9) {
      line.timeline.accept(below(positions - line.timeline.accepted() + 1));
    } else if (action < 10 && lines.size() < 4) {
      lines.push_back({line.timeline.fork(), line.ids});
    } else if (action < 11) {
      if (kept.size() > 2) {
        kept.erase(kept.begin());
      }
      kept.push_back({line.timeline.snapshot(), line.ids});
    } else if (!kept.empty()) {
      const Kept& from = kept[static_cast<size_t>(below(std::ssize(kept)))];
      line = {Timeline(runner_, from.snapshot), from.ids};
    }
    ASSERT_EQ(runner_.state_memory().check_integrity(), "");
  }
  EXPECT_GT(refusals, 5);
  EXPECT_EQ(copied()[StateUnit::kStatePage], 0);
}

}  // namespace
}  // namespace invar
