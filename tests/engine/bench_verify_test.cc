// The measurement of verified drafts: it runs what it says, copies nothing, and sees wrong rows.
#include "engine/bench_verify.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "engine/fake_runner.h"

namespace invar {
namespace {

constexpr RunnerLimits kLimits{.context_positions = 128,
                               .kv_blocks = 8,
                               .rows_max = 64,
                               .segments_max = 1,
                               .logit_rows_max = 4};
constexpr VerifyBenchOptions kOptions{.rows = 4, .prompt_tokens = 50, .steps = 20};

TEST(BenchVerify, MeasuresBothStepsAcrossABoundary) {
  FakeRunner runner(kLimits, 50, FakeState::kPagedAndRecurrent);
  const VerifyBenchResult result = run_verify_bench(runner, kOptions);
  EXPECT_TRUE(result.output_checked);
  EXPECT_GT(result.decode_seconds, 0);
  EXPECT_GT(result.verify_seconds, 0);
  EXPECT_GT(result.reject_seconds, 0);
  EXPECT_EQ(result.units_copied, 0);
  EXPECT_EQ(runner.passes, (1 + 20 + 4) + (1 + 20 + 20));
}

TEST(BenchVerify, SeesOtherRowsThanDecodingGives) {
  FakeRunner runner(kLimits, 50, FakeState::kPagedAndRecurrent);
  runner.on_run = [&] {
    if (runner.passes == 40) {  // in the middle of the steps
      runner.state_storage().poison();
    }
  };
  EXPECT_FALSE(run_verify_bench(runner, kOptions).output_checked);
}

TEST(BenchVerify, NamesAContextThatIsTooShort) {
  FakeRunner runner(kLimits, 50);
  try {
    run_verify_bench(runner, {.rows = 4, .prompt_tokens = 100, .steps = 30});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "bench: --verify: expected at most 128 positions of prompt, steps and rows, found "
                 "134");
  }
}

}  // namespace
}  // namespace invar
