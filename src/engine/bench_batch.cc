// See bench_batch.h.
#include "engine/bench_batch.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "core/error.h"
#include "core/wake_signal.h"

namespace invar {
namespace {

using Clock = std::chrono::steady_clock;
using Answers = std::vector<std::vector<int32_t>>;  // the tokens of each

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Random ids: what they are does not change the work.
std::vector<int32_t> random_prompt(const BatchBenchOptions& options, int64_t sequence) {
  std::vector<int32_t> ids(static_cast<size_t>(options.prompt_tokens));
  uint64_t state = options.seed + static_cast<uint64_t>(sequence) * 0x9e3779b97f4a7c15u;
  for (int32_t& id : ids) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    id = static_cast<int32_t>((state >> 33) % static_cast<uint64_t>(options.vocabulary));
  }
  return ids;
}

RequestHandle submit(Engine& engine, const BatchBenchOptions& options, int64_t sequence,
                     const std::shared_ptr<WakeSignal>& wake) {
  Request request{.prompt = random_prompt(options, sequence)};
  request.sampling.temperature = 0;
  request.max_tokens = options.decode_tokens;
  request.ignore_eos = true;
  request.on_event = [wake](bool /*ended*/) { wake->notify(); };
  SubmitResult result = engine.submit(std::move(request));
  if (!result.handle) {
    fail(Code::kExhausted, "engine: request {} of {} was refused", sequence + 1, options.sequences);
  }
  return std::move(*result.handle);
}

struct Run {
  double first_token_seconds = 0;
  double seconds = 0;
  Answers answers;
};

// The requests from `first` on, together, until all have ended.
Run run_once(Engine& engine, const BatchBenchOptions& options, int64_t first, int64_t count) {
  const auto wake = std::make_shared<WakeSignal>();
  Run run{.answers = Answers(static_cast<size_t>(count))};
  std::vector<RequestHandle> handles;
  const Clock::time_point begin = Clock::now();
  for (int64_t i = 0; i < count; ++i) {
    handles.push_back(submit(engine, options, first + i, wake));
  }
  const auto all_ended = [&] {
    return std::all_of(handles.begin(), handles.end(),
                       [](const RequestHandle& handle) { return handle.ended(); });
  };
  while (!all_ended()) {
    wake->wait_for(std::chrono::seconds(1));
    for (size_t i = 0; i < handles.size(); ++i) {
      while (const std::optional<TokenEvent> event = handles[i].try_next()) {
        if (run.first_token_seconds == 0) {
          run.first_token_seconds = seconds_since(begin);
        }
        run.answers[i].push_back(event->token_id);
      }
    }
  }
  run.seconds = seconds_since(begin);
  for (const RequestHandle& handle : handles) {
    if (handle.end().outcome != RequestOutcome::kFinished) {
      fail(Code::kExhausted, "engine: {}", handle.end().message);
    }
  }
  return run;
}

}  // namespace

BatchBenchResult run_batch_bench(Engine& engine, const BatchBenchOptions& options) {
  const Run alone = run_once(engine, options, options.sequences - 1, 1);  // warms up, too
  std::vector<double> first_token_seconds;
  std::vector<double> seconds;
  bool same = true;
  for (int i = 0; i < options.repeats; ++i) {
    const Run run = run_once(engine, options, 0, options.sequences);
    first_token_seconds.push_back(run.first_token_seconds);
    seconds.push_back(run.seconds);
    same = same && run.answers.back() == alone.answers.front();
  }
  const double least = *std::min_element(first_token_seconds.begin(), first_token_seconds.end());
  BatchBenchResult result{.first_token_seconds = median(std::move(first_token_seconds)),
                          .least_first_token_seconds = least,
                          .seconds = median(std::move(seconds)),
                          .output_checked = same};
  result.tokens_per_second =
      static_cast<double>(options.sequences * options.decode_tokens) / result.seconds;
  return result;
}

}  // namespace invar
