// Random schedules: what they contain, that a lawful program passes them, and what is said of them.
// That a fault is found and shrunk is shown by tests/law/fuzz_fault_test.cc.
#include "engine/law_fuzz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "backend/registry.h"
#include "engine/law_schedule_text.h"
#include "engine/law_tracker.h"
#include "formats/expect_error.h"
#include "program/small_model.h"

namespace invar {
namespace {

constexpr LawShape kShape{.tokens = 300, .context = 400, .rows_max = 256, .segments_max = 4};

TEST(LawFuzzSchedules, AreDrawnFromTheSeed) {
  const auto text = [](uint64_t seed) {
    LawRandom random(seed, "test");
    return describe(law_random_schedule(kShape, random));
  };
  EXPECT_EQ(text(1), text(1));
  EXPECT_NE(text(1), text(2));
}

TEST(LawFuzzSchedules, ContainEveryKindOfStepAndPlace) {
  std::set<LawStep::Kind> kinds;
  int64_t begins_inside = 0;
  int64_t crosses = 0;
  int64_t rejects_across = 0;
  int64_t deep_truncations = 0;
  int64_t captures = 0;
  int64_t snapshots_before_the_end = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    LawRandom random(seed, "test");
    LawTracker tracker(kShape);
    for (const LawStep& step : law_random_schedule(kShape, random).steps) {
      ASSERT_EQ(tracker.fitted(step), step);
      kinds.insert(step.kind);
      const int64_t positions = tracker.positions(step.sequence);
      for (const LawSegment& segment : step.segments) {
        const int64_t begin = tracker.positions(segment.sequence);
        begins_inside += begin % 64 != 0 ? 1 : 0;
        crosses += begin / 64 != (begin + segment.rows()) / 64 ? 1 : 0;
        captures += std::ssize(segment.captures);
      }
      if (step.kind == LawStep::Kind::kTruncate) {
        const bool rejects = step.positions >= tracker.accepted(step.sequence);
        rejects_across += rejects && step.positions / 64 != positions / 64 ? 1 : 0;
        deep_truncations += rejects ? 0 : 1;
      }
      snapshots_before_the_end +=
          step.kind == LawStep::Kind::kSnapshot && step.positions < positions ? 1 : 0;
      tracker.apply(step);
    }
  }
  EXPECT_EQ(kinds.size(), 9u);
  for (const int64_t count : {begins_inside, crosses, rejects_across, deep_truncations, captures,
                              snapshots_before_the_end}) {
    EXPECT_GT(count, 20);
  }
}

class LawFuzzTest : public testing::Test {
 protected:
  LawSubject subject() {
    return {.program = &model_.program,
            .backend = backend_.get(),
            .team = &team_,
            .other_isas = {},
            .context = 1024};
  }

  SmallModel model_{{.hybrid = true}};
  std::unique_ptr<Backend> backend_ = make_cpu_backend("");
  ThreadTeam team_{1};
};

TEST_F(LawFuzzTest, ALawfulProgramPasses) {
  int64_t reported = 0;
  const LawFuzzResult result =
      fuzz_law(subject(), {.schedules = 200, .progress = [&](int64_t done) { reported = done; }});
  EXPECT_EQ(result.schedules, 200);
  EXPECT_EQ(reported, 200);
  EXPECT_GT(result.steps, 1000);
  EXPECT_GT(result.rows_compared, 50000);
  EXPECT_FALSE(result.failure.has_value()) << describe("small", result);
  EXPECT_THAT(describe("small", result), testing::StartsWith("law small fuzz: equal\n200 sched"));
  // However it was shared, no state_page was copied.
  EXPECT_EQ(result.copied[StateUnit::kStatePage], 0);
  EXPECT_GT(result.copied[StateUnit::kRowBlock], 50);
  EXPECT_GT(result.referenced[StateUnit::kStatePage], 200);
}

TEST_F(LawFuzzTest, AGivenScheduleIsRunAlone) {
  const LawSchedule schedule =
      parse_law_schedule("pass 7+130@64\nsnapshot 9 of 7 at 64\nresume 8 from 9\npass 8~5(1)?\n",
                         law_fuzz_shape(subject(), {}));
  const LawFuzzResult result = fuzz_law(subject(), {.schedule = schedule});
  EXPECT_EQ(result.schedules, 1);
  EXPECT_EQ(result.steps, 4);
  EXPECT_EQ(result.rows_compared, 135);
  EXPECT_FALSE(result.failure.has_value());
}

TEST_F(LawFuzzTest, ShortContexts) {
  for (const int64_t context : {1, 2, 64, 65}) {
    LawSubject small = subject();
    small.context = context;
    const LawFuzzResult result = fuzz_law(small, {.schedules = 20});
    EXPECT_FALSE(result.failure.has_value()) << describe("small", result);
  }
}

TEST_F(LawFuzzTest, DescribesAFailure) {
  LawFuzzResult result{.schedules = 3, .steps = 40, .rows_compared = 900, .seconds = 1.25};
  const LawSchedule two = parse_law_schedule("pass 0+1\npass 0+64\n", kShape);
  const LawSchedule three = parse_law_schedule("pass 0+1\npass 0+64\ndrop 0\n", kShape);
  result.failure = LawFuzzFailure{.seed = 3,
                                  .found = three,
                                  .shrunk = two,
                                  .runs = 17,
                                  .position = 64,
                                  .op = "linear layer 0 qkv"};
  EXPECT_EQ(describe("m", result),
            "law m fuzz: DIFFERS position 64 op linear layer 0 qkv\n"
            "3 schedules, 40 steps, 900 rows compared in 1.2 s\n"
            "seed 3: 3 steps, shrunk to these 2 in 17 runs:\n"
            "pass 0+1\n"
            "pass 0+64\n");
}

TEST_F(LawFuzzTest, Errors) {
  expect_error([&] { fuzz_law(subject(), {.tokens = 1025}); }, Code::kBadArgument,
               "fuzz: tokens: expected 1 to 1024, found 1025");
  for (ConstantInfo& constant : model_.program.constants) {
    if (constant.name == "final norm") {
      constant.view.row<float>(0)[3] = std::numeric_limits<float>::quiet_NaN();
    }
  }
  expect_error([&] { fuzz_law(subject(), {}); }, Code::kBadFile,
               "logits alone at position 0: expected numbers, found NaN");
}

}  // namespace
}  // namespace invar
