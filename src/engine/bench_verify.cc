// See bench_verify.h.
#include "engine/bench_verify.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "core/error.h"
#include "engine/timeline.h"

namespace invar {
namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Random ids: what they are does not change the work.
std::vector<int32_t> random_ids(int64_t count, const PassRunner& runner, uint64_t seed) {
  std::vector<int32_t> ids(static_cast<size_t>(count));
  uint64_t state = seed;
  for (int32_t& id : ids) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    id = static_cast<int32_t>((state >> 33) % static_cast<uint64_t>(runner.vocabulary()));
  }
  return ids;
}

int64_t units_copied(PassRunner& runner) {
  const StateCounts& copied = runner.state_storage().copied();
  return copied[StateUnit::kKvBlock] + copied[StateUnit::kStatePage] + copied[StateUnit::kRowBlock];
}

class VerifyBench {
 public:
  VerifyBench(PassRunner& runner, const VerifyBenchOptions& options)
      : runner_(runner),
        options_(options),
        ids_(random_ids(options.prompt_tokens + options.steps + options.rows, runner,
                        options.seed)) {}

  VerifyBenchResult run() {
    expected_ = decoded_rows();
    Timeline timeline(runner_);
    timeline.append({.token_ids = ids(0, options_.prompt_tokens), .rows = LogitRows::kNone});
    for (int64_t step = 0; step < options_.steps; ++step) {
      verify(timeline, step);
      decode(timeline, step);
    }
    return {.decode_seconds = median(std::move(decode_seconds_)),
            .verify_seconds = median(std::move(verify_seconds_)),
            .reject_seconds = median(std::move(reject_seconds_)),
            .units_copied = units_copied_,
            .output_checked = same_};
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  std::span<const int32_t> ids(int64_t first, int64_t count) const {
    return std::span(ids_).subspan(static_cast<size_t>(first), static_cast<size_t>(count));
  }

  // The logits after each token behind the prompt, decoded one by one.
  std::vector<float> decoded_rows() {
    Timeline timeline(runner_);
    timeline.append({.token_ids = ids(0, options_.prompt_tokens), .rows = LogitRows::kNone});
    std::vector<float> rows;
    for (int64_t i = options_.prompt_tokens; i < std::ssize(ids_); ++i) {
      const std::vector<float> row = timeline.append({.token_ids = ids(i, 1)});
      rows.insert(rows.end(), row.begin(), row.end());
    }
    return rows;
  }

  // Timed without the copy of the logits that the check takes.
  void verify(Timeline& timeline, int64_t step) {
    const int64_t copied = units_copied(runner_);
    int64_t row = step;
    const auto check = [&](int64_t /*position*/, std::span<const float> logits) {
      const float* expected = expected_.data() + row * runner_.vocabulary();
      same_ = same_ && std::memcmp(logits.data(), expected, logits.size_bytes()) == 0;
      row += 1;
    };
    double seconds = 0;
    const auto run = [&] {
      runner_.run();
      seconds = seconds_since(begin_);
    };
    begin_ = Clock::now();
    timeline.append({.token_ids = ids(timeline.positions(), options_.rows),
                     .rows = LogitRows::kAll,
                     .run = run,
                     .accept = false},
                    check);
    verify_seconds_.push_back(seconds);
    begin_ = Clock::now();
    timeline.truncate(timeline.accepted());
    reject_seconds_.push_back(seconds_since(begin_));
    units_copied_ += units_copied(runner_) - copied;
    same_ = same_ && row == step + options_.rows;
  }

  void decode(Timeline& timeline, int64_t step) {
    double seconds = 0;
    const auto run = [&] {
      runner_.run();
      seconds = seconds_since(begin_);
    };
    begin_ = Clock::now();
    timeline.append({.token_ids = ids(options_.prompt_tokens + step, 1), .run = run});
    decode_seconds_.push_back(seconds);
  }

  PassRunner& runner_;
  const VerifyBenchOptions& options_;
  const std::vector<int32_t> ids_;
  std::vector<float> expected_;  // [steps + rows, vocabulary]
  Clock::time_point begin_;
  std::vector<double> decode_seconds_;
  std::vector<double> verify_seconds_;
  std::vector<double> reject_seconds_;
  int64_t units_copied_ = 0;
  bool same_ = true;
};

}  // namespace

VerifyBenchResult run_verify_bench(PassRunner& runner, const VerifyBenchOptions& options) {
  const int64_t positions = options.prompt_tokens + options.steps + options.rows;
  if (positions > runner.context_positions()) {
    fail(Code::kBadArgument,
         "bench: --verify: expected at most {} positions of prompt, steps and rows, found {}",
         runner.context_positions(), positions);
  }
  return VerifyBench(runner, options).run();
}

}  // namespace invar
