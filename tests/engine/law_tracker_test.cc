// What a schedule's steps lead to, and how a step is made to fit.
#include "engine/law_tracker.h"

#include <gtest/gtest.h>

#include "engine/law_schedule_text.h"

namespace invar {
namespace {

constexpr LawShape kShape{.tokens = 300, .context = 400, .rows_max = 200, .segments_max = 2};

class LawTrackerTest : public testing::Test {
 protected:
  void apply(const std::string& lines) {
    // Read by itself, each step is made possible by those before it.
    text_ += lines;
    tracker_ = LawTracker(kShape);
    for (const LawStep& step : parse_law_schedule(text_, kShape).steps) {
      tracker_.apply(step);
    }
  }
  // The step as it would be made to fit; "-" if nothing of it is possible.
  std::string fitted_step(const LawStep& step) const {
    const std::optional<LawStep> result = tracker_.fitted(step);
    return result ? describe(*result) : "-";
  }
  std::string fitted_pass(std::vector<LawSegment> segments) const {
    return fitted_step({.kind = LawStep::Kind::kPass, .segments = std::move(segments)});
  }

  std::string text_;
  LawTracker tracker_{kShape};
};

TEST_F(LawTrackerTest, PassesAreMadeToFit) {
  apply("pass 0+120\npass 0~190(1)\n");
  EXPECT_EQ(tracker_.positions(0), 310);
  // Past the prompt's end, up to the context.
  EXPECT_EQ(fitted_pass({{.sequence = 0, .prompt_rows = 5, .other_rows = 100, .stream = 2}}),
            "pass 0~90(2)");
  EXPECT_EQ(fitted_pass({{.sequence = 0, .prompt_rows = 5}}), "-");
  // Rows, segments and sequences of a pass are limited.
  EXPECT_EQ(fitted_pass({{.sequence = 1, .prompt_rows = 150},
                         {.sequence = 1, .prompt_rows = 2},
                         {.sequence = 2, .prompt_rows = 150},
                         {.sequence = 3, .prompt_rows = 1}}),
            "pass 1+150 2+50");
  // Other rows have a stream, and only they; captures are boundaries within the rows.
  EXPECT_EQ(fitted_pass({{.sequence = 1, .other_rows = 3}}), "pass 1~3(1)");
  EXPECT_EQ(
      fitted_pass(
          {{.sequence = 1, .prompt_rows = 128, .stream = 4, .captures = {192, 128, 0, 64, 65}}}),
      "pass 1+128@64,128");
}

TEST_F(LawTrackerTest, OtherStepsAreMadeToFit) {
  using Kind = LawStep::Kind;
  apply("pass 0+100?\naccept 0 to 70\nsnapshot 0 of 0 at 90\n");
  EXPECT_EQ(fitted_step({.kind = Kind::kAccept, .sequence = 0, .positions = 999}),
            "accept 0 to 100");
  EXPECT_EQ(fitted_step({.kind = Kind::kAccept, .sequence = 0, .positions = 70}), "-");
  EXPECT_EQ(fitted_step({.kind = Kind::kTruncate, .sequence = 0, .positions = 100}), "-");
  EXPECT_EQ(fitted_step({.kind = Kind::kFork, .sequence = 1, .from = 0, .positions = 101}),
            "fork 1 from 0 at 100");
  EXPECT_EQ(fitted_step({.kind = Kind::kFork, .sequence = 0, .from = 0, .positions = 1}), "-");
  EXPECT_EQ(fitted_step({.kind = Kind::kEvict, .sequence = 0, .rows = 999}), "evict 0 in 200");
  EXPECT_EQ(fitted_step({.kind = Kind::kSnapshot, .sequence = 0, .snapshot = 0, .positions = 90}),
            "-");
  EXPECT_EQ(fitted_step({.kind = Kind::kResume, .sequence = 1, .snapshot = 0}), "resume 1 from 0");
  EXPECT_EQ(fitted_step({.kind = Kind::kForget, .snapshot = 1}), "-");
}

TEST_F(LawTrackerTest, SnapshotsNeedStateThatIsHeld) {
  const auto held = [&](int64_t at) {
    return tracker_
        .fitted({.kind = LawStep::Kind::kSnapshot, .sequence = 0, .snapshot = 9, .positions = at})
        .has_value();
  };
  apply("pass 0+150@64\n");
  EXPECT_TRUE(held(0));
  EXPECT_TRUE(held(64));
  EXPECT_FALSE(held(65));
  EXPECT_FALSE(held(127));
  EXPECT_TRUE(held(128));
  EXPECT_TRUE(held(150));
  // Rows that are not accepted yet can all be gone back to.
  apply("pass 0+100?\n");
  EXPECT_FALSE(held(127));
  EXPECT_TRUE(held(130));
  apply("accept 0 to 200\n");
  EXPECT_FALSE(held(191));
  EXPECT_TRUE(held(192));
  apply("truncate 0 to 63\n");
  EXPECT_FALSE(held(64) && tracker_.positions(0) >= 64);
  EXPECT_TRUE(held(1));
  apply("pass 0+64\nevict 0 in 10\n");
  EXPECT_FALSE(held(63));
}

TEST_F(LawTrackerTest, FittedLeavesOutWhatIsNotPossible) {
  LawSchedule schedule = parse_law_schedule(
      "pass 0+100 1+10\nfork 2 from 0 at 70\npass 2+5\ntruncate 2 to 60\ndrop 2\n", kShape);
  schedule.steps.erase(schedule.steps.begin() + 1);
  EXPECT_EQ(describe(fitted(schedule, kShape)), "pass 0+100 1+10\npass 2+5\ndrop 2\n");
  schedule.steps[0].segments[0].prompt_rows = 1000;
  EXPECT_EQ(describe(fitted(schedule, kShape)), "pass 0+200\npass 2+5\ndrop 2\n");
}

TEST_F(LawTrackerTest, Sizes) {
  const ScheduleSizes sizes = schedule_sizes(
      parse_law_schedule("pass 0+65\nfork 1 from 0 at 64\npass 1+130? 0+3\nsnapshot 0 of 0 at 65\n"
                         "drop 0\n",
                         kShape),
      kShape);
  EXPECT_EQ(sizes.positions_max, 194);
  EXPECT_EQ(sizes.kv_blocks, 2 + 4 + 2);
  EXPECT_EQ(sizes.recurrent_units, 3 + (3 + 3) + 3 + 1);
}

}  // namespace
}  // namespace invar
