// A schedule that fails for a reason known here is shrunk to nothing but that reason.
#include "engine/law_shrink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "engine/law_fuzz.h"
#include "engine/law_schedule_text.h"
#include "engine/law_tracker.h"

namespace invar {
namespace {

constexpr LawShape kShape{.tokens = 300, .context = 400, .rows_max = 256, .segments_max = 4};
constexpr int64_t kRunsMax = 5000;

using Fails = std::function<bool(const LawSchedule&)>;

// Whether any step, seen with what those before it lead to, is one that `is_bad` means.
Fails any_step(const std::function<bool(const LawTracker&, const LawStep&)>& is_bad) {
  return [is_bad](const LawSchedule& schedule) {
    const auto fresh = is_bad;  // it may remember steps
    LawTracker tracker(kShape);
    bool bad = false;
    for (const LawStep& step : schedule.steps) {
      bad |= fresh(tracker, step);
      tracker.apply(step);
    }
    return bad;
  };
}

struct Expected {
  size_t steps = 0;
  int64_t rows = 0;
};

// Of every random schedule that fails, what is left.
void expect_shrunk(const Fails& fails, const Expected& expected) {
  int failures = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    LawRandom random(seed, "test");
    const LawSchedule schedule = law_random_schedule(kShape, random);
    if (!fails(schedule)) {
      continue;
    }
    failures += 1;
    const ShrunkLawSchedule shrunk = shrink_law_schedule(schedule, kShape, fails, kRunsMax);
    EXPECT_TRUE(fails(shrunk.schedule));
    EXPECT_LT(shrunk.runs, kRunsMax);
    EXPECT_EQ(shrunk.schedule.steps.size(), expected.steps) << describe(shrunk.schedule);
    EXPECT_EQ(schedule_rows(shrunk.schedule), expected.rows) << describe(shrunk.schedule);
  }
  EXPECT_GE(failures, 3);
}

TEST(LawShrink, ASegmentThatCrossesABorderFromWithin) {
  expect_shrunk(any_step([](const LawTracker& tracker, const LawStep& step) {
                  return std::any_of(step.segments.begin(), step.segments.end(),
                                     [&](const LawSegment& segment) {
                                       const int64_t begin = tracker.positions(segment.sequence);
                                       return begin % 64 != 0 && begin % 64 + segment.rows() > 64;
                                     });
                }),
                {.steps = 2, .rows = 65});
}

TEST(LawShrink, ARejectionAcrossABorder) {
  expect_shrunk(any_step([](const LawTracker& tracker, const LawStep& step) {
                  return step.kind == LawStep::Kind::kTruncate &&
                         step.positions >= tracker.accepted(step.sequence) &&
                         step.positions / 64 < tracker.positions(step.sequence) / 64;
                }),
                {.steps = 2, .rows = 64});
}

TEST(LawShrink, AnEviction) {
  expect_shrunk(any_step([](const LawTracker& tracker, const LawStep& step) {
                  return step.kind == LawStep::Kind::kEvict &&
                         tracker.positions(step.sequence) >= 100;
                }),
                {.steps = 2, .rows = 100});
}

TEST(LawShrink, ASnapshotBeforeTheEndThatIsResumed) {
  expect_shrunk(any_step([snapshots = std::map<int, bool>()](const LawTracker& tracker,
                                                             const LawStep& step) mutable {
                  if (step.kind == LawStep::Kind::kSnapshot) {
                    snapshots[step.snapshot] =
                        step.positions < tracker.positions(step.sequence) && step.positions > 0;
                  }
                  return step.kind == LawStep::Kind::kResume && snapshots[step.snapshot];
                }),
                {.steps = 3, .rows = 2});
}

TEST(LawShrink, StopsWhenItsRunsAreUsedUp) {
  LawRandom random(1, "test");
  const LawSchedule schedule = law_random_schedule(kShape, random);
  int64_t runs = 0;
  const ShrunkLawSchedule shrunk = shrink_law_schedule(
      schedule, kShape,
      [&](const LawSchedule& smaller) {
        runs += 1;
        EXPECT_EQ(fitted(smaller, kShape), smaller);
        return false;
      },
      3);
  EXPECT_EQ(shrunk.schedule, schedule);
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(shrunk.runs, 3);
}

}  // namespace
}  // namespace invar
