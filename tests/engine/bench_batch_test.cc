// The measurement of a batch: it counts what it ran, and sees wrong tokens.
#include "engine/bench_batch.h"

#include <gtest/gtest.h>

#include "engine/fake_runner.h"

namespace invar {
namespace {

constexpr int64_t kVocabulary = 50;
constexpr RunnerLimits kLimits{.context_positions = 128,
                               .kv_blocks = 16,
                               .rows_max = 64,
                               .segments_max = 4,
                               .logit_rows_max = 4};

BatchBenchOptions options() {
  return {.sequences = 4,
          .prompt_tokens = 20,
          .decode_tokens = 30,
          .repeats = 2,
          .vocabulary = kVocabulary};
}

TEST(BenchBatch, RunsAllAnswersTogether) {
  FakeRunner runner(kLimits, kVocabulary);
  Engine engine(runner, {});
  engine.start();
  const BatchBenchResult result = run_batch_bench(engine, options());
  EXPECT_TRUE(result.output_checked);
  EXPECT_GT(result.first_token_seconds, 0);
  EXPECT_GE(result.seconds, result.first_token_seconds);
  EXPECT_DOUBLE_EQ(result.tokens_per_second, 4 * 30 / result.seconds);
  engine.shutdown(Shutdown::kFinish);
  EXPECT_EQ(engine.stats().generated_tokens, 30 + 2 * 4 * 30);
}

TEST(BenchBatch, SeesAnAnswerThatIsOtherThanAlone) {
  FakeRunner runner(kLimits, kVocabulary);
  runner.on_run = [&] {
    if (runner.passes == 40) {  // in the middle of the first batch
      runner.state_storage().poison();
    }
  };
  Engine engine(runner, {});
  engine.start();
  EXPECT_FALSE(run_batch_bench(engine, options()).output_checked);
}

TEST(BenchBatch, NamesWhatCannotRun) {
  FakeRunner runner(kLimits, kVocabulary);
  Engine engine(runner, {.waiting_max = 1});
  engine.start();
  BatchBenchOptions long_prompt = options();
  long_prompt.prompt_tokens = 500;
  EXPECT_THROW(run_batch_bench(engine, long_prompt), Error);
  runner.on_run = [] { throw std::runtime_error("broken"); };
  try {
    run_batch_bench(
        engine,
        {.sequences = 1, .prompt_tokens = 3, .decode_tokens = 3, .vocabulary = kVocabulary});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "engine: engine step failed: broken");
  }
  engine.shutdown(Shutdown::kCancel);
  try {
    run_batch_bench(engine, options());
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "engine: request 4 of 4 was refused");
  }
}

}  // namespace
}  // namespace invar
