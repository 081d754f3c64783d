// See bench.h.
#include "engine/bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>

#include "core/error.h"
#include "engine/timeline.h"

namespace invar {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int32_t best_token(std::span<const float> logits) {
  return static_cast<int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

// Random ids: what they are does not change the work.
std::vector<int32_t> random_ids(int64_t count, int64_t vocabulary, uint64_t seed) {
  std::vector<int32_t> ids(count);
  uint64_t state = seed;
  for (int32_t& id : ids) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    id = static_cast<int32_t>((state >> 33) % static_cast<uint64_t>(vocabulary));
  }
  return ids;
}

struct Pass {
  std::vector<double> prefill_seconds;
  std::vector<double> decode_seconds;
  std::vector<double> first_token_seconds;
  std::vector<float> prompt_logits;  // of the last row
};

void measure_once(Runner& runner, const BenchOptions& options, std::span<const int32_t> prompt,
                  Pass& pass) {
  Timeline timeline(runner);
  auto begin = Clock::now();
  pass.prompt_logits = timeline.append({.token_ids = prompt});
  pass.prefill_seconds.push_back(seconds_since(begin));
  int32_t token = best_token(pass.prompt_logits);
  pass.first_token_seconds.push_back(seconds_since(begin));
  begin = Clock::now();
  for (int64_t i = 0; i < options.decode_tokens; ++i) {
    timeline.append(
        {.token_ids = {&token, 1}},
        [&](int64_t /*position*/, std::span<const float> row) { token = best_token(row); });
  }
  pass.decode_seconds.push_back(seconds_since(begin));
}

void profile_once(Runner& runner, const BenchOptions& options, std::span<const int32_t> prompt,
                  BenchResult& result) {
  Timeline timeline(runner);
  timeline.append(
      {.token_ids = prompt, .run = [&] { runner.run_profiled(result.prefill_profile); }});
  int32_t token = 0;
  for (int64_t i = 0; i < options.decode_tokens; ++i) {
    timeline.append(
        {.token_ids = {&token, 1}, .run = [&] { runner.run_profiled(result.decode_profile); }});
  }
}

// Cuts of other sizes than the measured passes, none a multiple of another.
bool same_when_cut(Runner& runner, std::span<const int32_t> prompt,
                   std::span<const float> expected) {
  std::vector<int64_t> pieces;
  int64_t left = static_cast<int64_t>(prompt.size());
  for (int64_t size = 1; left > 0; size = size % 61 + 7) {
    pieces.push_back(std::min(size, left));
    left -= pieces.back();
  }
  Timeline timeline(runner);
  const std::vector<float> logits = timeline.append({.token_ids = prompt, .pieces = pieces});
  return logits.size() == expected.size() &&
         std::memcmp(logits.data(), expected.data(), expected.size_bytes()) == 0;
}

}  // namespace

BenchResult run_bench(Runner& runner, const BenchOptions& options) {
  if (options.prompt_tokens + options.decode_tokens > runner.context_positions()) {
    fail(Code::kBadArgument, "bench: -p and -n: expected at most {} positions together, found {}",
         runner.context_positions(), options.prompt_tokens + options.decode_tokens);
  }
  const std::vector<int32_t> prompt =
      random_ids(options.prompt_tokens, runner.vocabulary(), options.seed);
  Pass warm_up;
  measure_once(runner, {.decode_tokens = std::min<int64_t>(options.decode_tokens, 8)}, prompt,
               warm_up);
  Pass pass;
  for (int i = 0; i < options.repeats; ++i) {
    measure_once(runner, options, prompt, pass);
  }
  BenchResult result{
      .prefill_seconds = median(pass.prefill_seconds),
      .decode_seconds = median(pass.decode_seconds),
      .first_token_seconds = median(pass.first_token_seconds),
      .output_checked = same_when_cut(runner, prompt, pass.prompt_logits),
      .output_finite = std::all_of(pass.prompt_logits.begin(), pass.prompt_logits.end(),
                                   [](float logit) { return std::isfinite(logit); }),
      .prefill_profile = {},
      .decode_profile = {}};
  result.output_checked = result.output_checked && result.output_finite;
  if (options.profile) {
    profile_once(runner, options, prompt, result);
  }
  return result;
}

std::vector<ProfileRow> summarize_profile(const Program& program,
                                          const std::vector<OpProfile>& profile) {
  std::map<std::string, ProfileRow> rows;
  for (const OpProfile& op : profile) {
    const Node& node = *program.nodes[op.node];
    std::string key = std::string(node.name()) + " " + node.label;
    std::erase_if(key, [](char c) { return c >= '0' && c <= '9'; });
    ProfileRow& row = rows[key];
    row.op = key;
    row.calls += op.calls;
    row.seconds += op.seconds;
    row.cost += op.cost;
  }
  std::vector<ProfileRow> sorted;
  for (auto& [key, row] : rows) {
    sorted.push_back(std::move(row));
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const ProfileRow& a, const ProfileRow& b) { return a.seconds > b.seconds; });
  return sorted;
}

}  // namespace invar
