// What is printed of a schedule is read back as the same schedule; anything else names its line.
#include "engine/law_schedule_text.h"

#include <gtest/gtest.h>

#include "engine/law_fuzz.h"
#include "formats/expect_error.h"

namespace invar {
namespace {

constexpr LawShape kShape{.tokens = 300, .context = 400, .rows_max = 256, .segments_max = 4};

constexpr std::string_view kEveryKind =
    "pass 0+63 3~1(2)\n"
    "pass 0+3~75(7)?@64,128\n"
    "truncate 0 to 130\n"
    "accept 0 to 129\n"
    "fork 4 from 0 at 77\n"
    "snapshot 2 of 0 at 128\n"
    "resume 5 from 2\n"
    "evict 0 in 17\n"
    "forget 2\n"
    "drop 3\n";

TEST(LawScheduleText, EveryKindOfStep) {
  const LawSchedule schedule = parse_law_schedule(kEveryKind, kShape);
  EXPECT_EQ(describe(schedule), kEveryKind);
  ASSERT_EQ(schedule.steps.size(), 10u);
  EXPECT_EQ(schedule.steps[1], (LawStep{.kind = LawStep::Kind::kPass,
                                        .segments = {{.sequence = 0,
                                                      .prompt_rows = 3,
                                                      .other_rows = 75,
                                                      .stream = 7,
                                                      .waits = true,
                                                      .captures = {64, 128}}}}))
      << describe(schedule.steps[1]);
  EXPECT_EQ(
      schedule.steps[5],
      (LawStep{.kind = LawStep::Kind::kSnapshot, .sequence = 0, .snapshot = 2, .positions = 128}));
  EXPECT_EQ(schedule.steps[7], (LawStep{.kind = LawStep::Kind::kEvict, .sequence = 0, .rows = 17}));
  EXPECT_EQ(parse_law_schedule("\n\npass 0+1", kShape).steps.size(), 1u);
}

TEST(LawScheduleText, RandomOnesComeBack) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    LawRandom random(seed, "test");
    const LawSchedule schedule = law_random_schedule(kShape, random);
    EXPECT_EQ(parse_law_schedule(describe(schedule), kShape), schedule) << seed;
  }
}

TEST(LawScheduleText, Errors) {
  const auto refused = [](const std::string& line) {
    expect_error([&] { parse_law_schedule("pass 0+5\n" + line, kShape); }, Code::kBadArgument,
                 "schedule line 2: expected pass, accept, truncate, fork, snapshot, resume, evict, "
                 "drop or forget in the form that law prints, found '" +
                     line + "'");
  };
  for (const char* line : {"passes 0+1", "pass 0+", "pass 0+1 ", "pass 0~2", "pass 0~2(x)",
                           "pass 0+1@", "pass 0+1@64,", "pass 0+99999999999", "pass -1+1", "drop",
                           "drop 0 1", "fork 1 from 0", "truncate 0 at 3", "jump 0", " drop 0"}) {
    refused(line);
  }
  const auto impossible = [](const std::string& line, const std::string& why) {
    expect_error(
        [&] { parse_law_schedule("pass 0+70\n" + line, kShape); }, Code::kBadArgument,
        "schedule line 2: expected a step that is possible here" + why + ", found '" + line + "'");
  };
  impossible("drop 1", "");
  impossible("pass", "");
  impossible("fork 0 from 0 at 3", "");
  impossible("snapshot 1 of 0 at 63", "");
  impossible("resume 1 from 0", "");
  impossible("pass 0+231", ", as 'pass 0+230'");
  impossible("pass 0+1@64", ", as 'pass 0+1'");
  impossible("fork 1 from 0 at 80", ", as 'fork 1 from 0 at 70'");
  expect_error([&] { parse_law_schedule("\n", kShape); }, Code::kBadArgument,
               "schedule: expected at least one step, found none");
}

}  // namespace
}  // namespace invar
