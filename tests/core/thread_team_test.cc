// ThreadTeam: every share runs once, steps follow one another, nobody waits for an idle thread.
#include "core/thread_team.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <numeric>
#include <thread>
#include <vector>

#include "core/error.h"

namespace invar {
namespace {

class ThreadTeamTest : public testing::TestWithParam<int> {};

TEST_P(ThreadTeamTest, EveryShareRunsOnceARun) {
  ThreadTeam team(GetParam());
  std::vector<int> calls(team.lanes(), 0);
  for (int i = 0; i < 50; ++i) {
    team.run([&](int lane) { calls[lane] += 1; });
  }
  EXPECT_EQ(calls, std::vector<int>(team.lanes(), 50));
}

TEST_P(ThreadTeamTest, AStepSeesWhatTheStepBeforeWrote) {
  ThreadTeam team(GetParam());
  constexpr int64_t kSteps = 400;
  std::vector<int64_t> values(team.lanes(), 0);
  std::vector<int> wrong(team.lanes(), 0);
  std::vector<int64_t> finished;
  // Even steps write, odd ones read what all shares wrote.
  team.run({.count = kSteps,
            .share =
                [&](int64_t step, int lane) {
                  if (step % 2 == 0) {
                    values[lane] = step;
                    return;
                  }
                  const int64_t sum = std::accumulate(values.begin(), values.end(), int64_t{0});
                  wrong[lane] += sum == (step - 1) * team.lanes() ? 0 : 1;
                },
            .finished = [&](int64_t step) { finished.push_back(step); }});
  EXPECT_EQ(wrong, std::vector<int>(team.lanes(), 0));
  std::vector<int64_t> all(kSteps);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(finished, all);
}

TEST_P(ThreadTeamTest, NoStepsAreNoWork) {
  ThreadTeam team(GetParam());
  team.run({.count = 0, .share = [](int64_t, int) { ADD_FAILURE(); }, .finished = {}});
}

INSTANTIATE_TEST_SUITE_P(Lanes, ThreadTeamTest, testing::Values(1, 2, 3, 8));

TEST(ThreadTeam, RunsAfterALongPause) {
  ThreadTeam team(2);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the worker sleeps by now
  std::atomic<int> calls = 0;
  team.run([&](int /*lane*/) { calls += 1; });
  EXPECT_EQ(calls, 2);
}

TEST(ThreadTeam, AnIdleThreadHoldsUpNobody) {
  // A lane more than there are processors, many times over: with a barrier of threads, each step
  // would wait until the system has run all of them.
  ThreadTeam team(64);
  std::vector<int64_t> sums(team.lanes(), 0);
  team.run({.count = 1000,
            .share = [&](int64_t step, int lane) { sums[lane] += step; },
            .finished = {}});
  EXPECT_EQ(sums, std::vector<int64_t>(team.lanes(), 999 * 1000 / 2));
}

TEST(ThreadTeam, SaysWhenTheSystemGivesNoMoreThreads) {
  // Room for the stacks of a few threads more, not of 200.
  int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const auto used = static_cast<rlim_t>(pages * ::sysconf(_SC_PAGESIZE));
  if (used == 0 || used > (rlim_t{1} << 40)) {
    GTEST_SKIP() << "the address space of this process cannot be limited";
  }
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  const rlimit small{.rlim_cur = used + (rlim_t{64} << 20), .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &small), 0);
  std::string message;
  try {
    ThreadTeam team(200);
  } catch (const Error& error) {
    message = error.what();
  }
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_THAT(message, testing::MatchesRegex("threads: [0-9]+ of 200 could be started"));
}

TEST(ThreadTeamDeathTest, NoLanesIsABug) {
  EXPECT_DEATH(ThreadTeam(0), "lanes 0");
}

TEST(AvailableProcessors, AtLeastOne) {
  EXPECT_GE(available_processors(), 1);
}

}  // namespace
}  // namespace invar
