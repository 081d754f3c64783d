// Every schedule, for many seeds and shapes, must be runnable, must compute every position of the
// prompt after the prompt's own tokens, and must contain what its case is for.
#include "engine/law_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "backend/ops/kv_write.h"
#include "engine/law_schedule_text.h"
#include "engine/law_tracker.h"

namespace invar {
namespace {

// What a walk over a schedule has seen.
struct Seen {
  std::set<int64_t> prompt_positions;  // computed with nothing but the prompt before
  std::set<int64_t> piece_rows;        // of sequence 0
  int64_t segments_most = 0;
  int64_t first_places = 0;  // passes of several segments in which sequence 0 came first
  int64_t shared_passes = 0;
  int64_t truncations_inside = 0;
  int64_t truncations_at_borders = 0;
  int64_t forks_inside = 0;
  int64_t forks_at_borders = 0;
  int64_t snapshots_inside = 0;
  int64_t snapshots_at_borders = 0;
  int64_t resumes = 0;
  int64_t evictions = 0;
  int64_t drafts_accepted = 0;
  int64_t drafts_rejected = 0;
  int64_t border_rejections = 0;  // drafts that crossed a border of a kv_block and went back
};

struct Line {
  int64_t positions = 0;
  int64_t prompt_positions = 0;

  void truncate(int64_t to) {
    positions = to;
    prompt_positions = std::min(prompt_positions, to);
  }
};

class Walk {
 public:
  explicit Walk(const LawShape& shape) : shape_(shape), tracker_(shape) {}

  Seen run(const LawSchedule& schedule) {
    for (const LawStep& step : schedule.steps) {
      EXPECT_EQ(tracker_.fitted(step), step) << describe(step);
      tracker_.apply(step);
      if (step.kind == LawStep::Kind::kPass) {
        pass(step);
      } else {
        change(step);
      }
    }
    return seen_;
  }

 private:
  void pass(const LawStep& step) {
    int64_t rows = 0;
    std::set<int> sequences;
    for (const LawSegment& segment : step.segments) {
      EXPECT_TRUE(sequences.insert(segment.sequence).second) << "twice in a pass";
      EXPECT_GE(segment.prompt_rows, 0);
      EXPECT_GE(segment.other_rows, 0);
      EXPECT_GT(segment.rows(), 0);
      EXPECT_TRUE(segment.other_rows == 0 || segment.stream > 0);
      rows += segment.rows();
      append(segment);
    }
    EXPECT_LE(rows, shape_.rows_max);
    const auto count = static_cast<int64_t>(step.segments.size());
    EXPECT_GE(count, 1);
    EXPECT_LE(count, shape_.segments_max);
    seen_.segments_most = std::max(seen_.segments_most, count);
    seen_.shared_passes += count > 1 ? 1 : 0;
    seen_.first_places += count > 1 && step.segments.front().sequence == 0 ? 1 : 0;
  }

  void append(const LawSegment& segment) {
    Line& state = sequences_[segment.sequence];
    if (segment.sequence == 0) {
      seen_.piece_rows.insert(segment.rows());
    }
    if (segment.prompt_rows > 0) {
      EXPECT_LE(state.positions + segment.prompt_rows, shape_.tokens);
    }
    if (state.positions == state.prompt_positions) {
      for (int64_t i = 0; i < segment.prompt_rows; ++i) {
        seen_.prompt_positions.insert(state.positions + i);
      }
      state.prompt_positions += segment.prompt_rows;
    }
    if (segment.other_rows > 0 && segment.prompt_rows > 0) {
      seen_.drafts_rejected += 1;
      const int64_t kept = state.positions + segment.prompt_rows;
      seen_.border_rejections +=
          (kept - 1) / kKvBlockRows != (kept + segment.other_rows - 1) / kKvBlockRows ? 1 : 0;
    } else if (segment.prompt_rows > 1) {
      seen_.drafts_accepted += 1;
    }
    state.positions += segment.rows();
    EXPECT_LE(state.positions, shape_.context);
  }

  void change(const LawStep& step) {
    const bool inside = step.positions % kKvBlockRows != 0;
    switch (step.kind) {
      case LawStep::Kind::kFork:
        sequences_[step.sequence] = sequences_[step.from];
        sequences_[step.sequence].truncate(step.positions);
        (inside ? seen_.forks_inside : seen_.forks_at_borders) += 1;
        break;
      case LawStep::Kind::kTruncate:
        sequences_[step.sequence].truncate(step.positions);
        (inside ? seen_.truncations_inside : seen_.truncations_at_borders) += 1;
        break;
      case LawStep::Kind::kSnapshot:
        snapshots_[step.snapshot] = sequences_[step.sequence];
        snapshots_[step.snapshot].truncate(step.positions);
        (inside ? seen_.snapshots_inside : seen_.snapshots_at_borders) += 1;
        break;
      case LawStep::Kind::kResume:
        sequences_[step.sequence] = snapshots_[step.snapshot];
        seen_.resumes += 1;
        break;
      case LawStep::Kind::kEvict:
        seen_.evictions += 1;
        break;
      case LawStep::Kind::kDrop:
        sequences_.erase(step.sequence);
        break;
      default:
        break;
    }
  }

  const LawShape& shape_;
  LawTracker tracker_;
  std::map<int, Line> sequences_;
  std::map<int, Line> snapshots_;
  Seen seen_;
};

constexpr LawShape kLargeShape{.tokens = 1100, .context = 1300, .rows_max = 512, .segments_max = 8};

Seen see(LawScheduler scheduler, const LawShape& shape, uint64_t seed) {
  LawRandom random(seed, "test");
  return Walk(shape).run(scheduler(shape, random));
}

TEST(LawSchedule, EveryOneRunsAndCoversThePrompt) {
  const LawScheduler schedulers[] = {&law_whole,  &law_whole_then_single, &law_twice,    &law_cuts,
                                     &law_tokens, &law_batched,           &law_truncate, &law_fork,
                                     &law_verify, &law_snapshot,          &law_evicted};
  const LawShape shapes[] = {
      kLargeShape,
      {.tokens = 2, .context = 2, .rows_max = 512, .segments_max = 8},
      {.tokens = 64, .context = 64, .rows_max = 2, .segments_max = 2},
      {.tokens = 130, .context = 131, .rows_max = 50, .segments_max = 3},
      {.tokens = 300, .context = 1000, .rows_max = 40, .segments_max = 2},
  };
  for (const LawScheduler scheduler : schedulers) {
    for (const LawShape& shape : shapes) {
      for (uint64_t seed = 1; seed <= 20; ++seed) {
        const Seen seen = see(scheduler, shape, seed);
        ASSERT_EQ(std::ssize(seen.prompt_positions), shape.tokens);
        ASSERT_EQ(*seen.prompt_positions.rbegin(), shape.tokens - 1);
      }
    }
  }
}

TEST(LawSchedule, WholeTakesTheLargestPasses) {
  EXPECT_THAT(see(&law_whole, kLargeShape, 1).piece_rows, testing::ElementsAre(76, 512));
  EXPECT_THAT(see(&law_whole_then_single, kLargeShape, 1).piece_rows,
              testing::ElementsAre(1, 70, 512));
  EXPECT_THAT(see(&law_tokens, kLargeShape, 1).piece_rows, testing::ElementsAre(1));
}

TEST(LawSchedule, CutsLieBesideTheBorders) {
  std::set<int64_t> rows;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    rows.merge(see(&law_cuts, kLargeShape, seed).piece_rows);
  }
  for (const int64_t piece : {1, 63, 64, 65, 255, 256, 257}) {
    EXPECT_TRUE(rows.contains(piece)) << piece;
  }
}

TEST(LawSchedule, BatchedHasStrangersInAnyOrder) {
  const Seen seen = see(&law_batched, kLargeShape, 1);
  EXPECT_GT(seen.segments_most, 3);
  EXPECT_GT(seen.shared_passes, 20);
  EXPECT_GT(seen.first_places, 0);
  EXPECT_LT(seen.first_places, seen.shared_passes);
  EXPECT_TRUE(seen.piece_rows.contains(1));
}

TEST(LawSchedule, TruncateStopsInsideAndAtBorders) {
  const Seen seen = see(&law_truncate, kLargeShape, 1);
  EXPECT_GT(seen.truncations_inside, 5);
  EXPECT_GT(seen.truncations_at_borders, 1);
}

TEST(LawSchedule, ForksLieInsideKvBlocks) {
  const Seen seen = see(&law_fork, kLargeShape, 1);
  EXPECT_GT(seen.forks_inside, 5);
  EXPECT_EQ(seen.forks_at_borders, 0);
}

TEST(LawSchedule, VerifyAcceptsAndRejects) {
  const Seen seen = see(&law_verify, kLargeShape, 1);
  EXPECT_GT(seen.drafts_accepted, 3);
  EXPECT_GT(seen.drafts_rejected, 50);
  EXPECT_GT(seen.border_rejections, 1);
}

TEST(LawSchedule, FollowsFromSeedAndPurpose) {
  const auto text = [](uint64_t seed, std::string_view purpose) {
    LawRandom random(seed, purpose);
    return describe(law_batched(kLargeShape, random));
  };
  EXPECT_EQ(text(1, "a"), text(1, "a"));
  EXPECT_NE(text(1, "a"), text(2, "a"));
  EXPECT_NE(text(1, "a"), text(1, "b"));
}

TEST(LawSchedule, SnapshotsLieAnywhereAndAreResumedTwice) {
  const Seen seen = see(&law_snapshot, kLargeShape, 1);
  EXPECT_GT(seen.snapshots_inside, 3);
  EXPECT_GT(seen.snapshots_at_borders, 1);
  EXPECT_EQ(seen.resumes, 2 * (seen.snapshots_inside + seen.snapshots_at_borders));
}

TEST(LawSchedule, EvictsInTheMiddle) {
  EXPECT_EQ(see(&law_evicted, kLargeShape, 1).evictions, 3);
}

TEST(LawSchedule, StrangersDoNotOutweigh) {
  LawRandom random(1, "test");
  EXPECT_LT(schedule_rows(law_batched(kLargeShape, random)), 3 * kLargeShape.tokens);
}

}  // namespace
}  // namespace invar
