// The cases and their comparison with the baseline (law.h).
#include "engine/law.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>

#include "core/error.h"
#include "engine/law_bisect.h"
#include "engine/law_replay.h"
#include "engine/law_schedule_text.h"
#include "engine/law_tracker.h"

namespace invar {
namespace {

constexpr int64_t kTokens = 1100;  // crosses 17 kv_block borders and 4 attention borders
// Of the prompt, with backends that may be a hundred times slower: 5 chunk borders, one of
// attention.
constexpr int64_t kSlowTokens = 330;
constexpr int64_t kPassRows = 512;
constexpr int64_t kPassSegments = 8;
// Positions that wrong tokens and strangers may have beyond the prompt's.
constexpr int64_t kPositionsBeyond = 200;

struct LawCase {
  std::string name;
  std::vector<LawScheduler> schedulers;
  std::string skipped_because = {};
  const Program* program = nullptr;
  const Backend* backend = nullptr;
  int lanes = 0;           // 0: the subject's team
  int64_t tokens_max = 0;  // of the prompt; 0: all of it
  bool poison = false;
};

std::vector<LawCase> make_cases(const LawSubject& subject) {
  const Program* program = subject.program;
  const Backend* backend = subject.backend;
  std::vector<LawCase> cases = {
      {.name = "solo", .schedulers = {&law_twice}},
      {.name = "cuts", .schedulers = {&law_cuts, &law_cuts, &law_cuts}},
      {.name = "tokens", .schedulers = {&law_tokens}},
      {.name = "batched", .schedulers = {&law_batched, &law_batched}},
      {.name = "truncate", .schedulers = {&law_truncate}},
      {.name = "fork", .schedulers = {&law_fork}},
      {.name = "verify", .schedulers = {&law_verify}},
      {.name = "snapshot", .schedulers = {&law_snapshot}},
      {.name = "evicted", .schedulers = {&law_evicted}},
      {.name = "poisoned",
       .schedulers = {&law_batched, &law_truncate, &law_fork, &law_snapshot, &law_whole},
       .poison = true},
  };
  for (const int lanes : {1, 2, 3}) {
    cases.push_back({.name = fmt::format("threads-{}", lanes),
                     .schedulers = {&law_whole_then_single},
                     .lanes = lanes});
  }
  for (LawCase& each : cases) {
    each.program = program;
    each.backend = backend;
  }
  for (const OtherIsa& isa : subject.other_isas) {
    cases.push_back({.name = fmt::format("isa-{}", isa.name),
                     .schedulers = {&law_whole_then_single},
                     .program = program,
                     .backend = isa.backend,
                     .tokens_max = kSlowTokens});
  }
  cases.push_back({.name = "unfused",
                   .schedulers = {&law_whole_then_single},
                   .skipped_because = subject.unfused == nullptr ? "no fusion rule applies" : "",
                   .program = subject.unfused,
                   .backend = backend});
  return cases;
}

std::vector<LawCase> chosen_cases(const LawSubject& subject, const std::string& only) {
  std::vector<LawCase> cases = make_cases(subject);
  if (only.empty()) {
    return cases;
  }
  std::vector<std::string> names;
  for (const LawCase& each : cases) {
    names.push_back(each.name);
  }
  std::erase_if(cases, [&](const LawCase& each) { return each.name != only; });
  if (cases.empty()) {
    fail(Code::kBadArgument, "case: expected one of {}, found '{}'", fmt::join(names, ", "), only);
  }
  return cases;
}

LawShape shape_of(const LawSubject& subject, const LawOptions& options) {
  constexpr int64_t kLeast = 2;
  if (subject.context < kLeast) {
    fail(Code::kBadArgument, "context: expected at least {} positions, found {}", kLeast,
         subject.context);
  }
  const int64_t tokens = options.tokens > 0 ? options.tokens : std::min(kTokens, subject.context);
  if (tokens < kLeast || tokens > subject.context) {
    fail(Code::kBadArgument, "tokens: expected {} to {}, found {}", kLeast, subject.context,
         tokens);
  }
  return {.tokens = tokens,
          .context = std::min(subject.context, tokens + kPositionsBeyond),
          .rows_max = kPassRows,
          .segments_max = kPassSegments};
}

int64_t tokens_of(const LawCase& each, const LawShape& shape) {
  return each.tokens_max > 0 ? std::min(each.tokens_max, shape.tokens) : shape.tokens;
}

std::vector<LawSchedule> schedules_of(const LawCase& each, LawShape shape, uint64_t seed) {
  shape.tokens = tokens_of(each, shape);
  LawRandom random(seed, each.name);
  std::vector<LawSchedule> schedules;
  for (const LawScheduler scheduler : each.schedulers) {
    schedules.push_back(scheduler(shape, random));
  }
  return schedules;
}

Runner make_runner(const Runner::Parts& parts, const LawShape& shape,
                   const std::vector<LawSchedule>& schedules) {
  ScheduleSizes sizes{.positions_max = 1, .kv_blocks = 1, .recurrent_units = kRecurrentUnitsMax};
  for (const LawSchedule& schedule : schedules) {
    const ScheduleSizes own = schedule_sizes(schedule, shape);
    sizes.positions_max = std::max(sizes.positions_max, own.positions_max);
    sizes.kv_blocks = std::max(sizes.kv_blocks, own.kv_blocks);
    sizes.recurrent_units = std::max(sizes.recurrent_units, own.recurrent_units);
  }
  return Runner(parts, {.context_positions = sizes.positions_max,
                        .kv_blocks = sizes.kv_blocks,
                        .state_pages = sizes.recurrent_units,
                        .row_blocks = sizes.recurrent_units,
                        .rows_max = shape.rows_max,
                        .segments_max = shape.segments_max,
                        .logit_rows_max = shape.rows_max});
}

class LawCheck {
 public:
  LawCheck(const LawSubject& subject, const LawOptions& options)
      : subject_(subject),
        options_(options),
        shape_(shape_of(subject, options)),
        vocabulary_(subject.program->output.columns),
        prompt_(law_prompt(options.seed, shape_.tokens, vocabulary_)) {
    LawRandom random(options.seed, "baseline");
    baseline_schedules_ = {law_whole(shape_, random)};
  }

  void run_baseline() {
    Runner runner = baseline_runner();
    LawReplay replay({.runner = &runner,
                      .prompt = prompt_,
                      .poison = false,
                      .progress = progress("baseline", baseline_schedules_)});
    baseline_.reserve(shape_.tokens * vocabulary_);
    replay.run(baseline_schedules_[0], [&](int64_t position, std::span<const float> logits) {
      if (std::any_of(logits.begin(), logits.end(), [](float x) { return std::isnan(x); })) {
        fail(Code::kBadFile, "logits at position {}: expected numbers, found NaN", position);
      }
      baseline_.insert(baseline_.end(), logits.begin(), logits.end());
    });
  }

  LawResult run(const LawCase& each) {
    LawResult result{.case_name = each.name};
    if (!each.skipped_because.empty()) {
      result.why = each.skipped_because;
      return result;
    }
    const auto begin = std::chrono::steady_clock::now();
    const std::vector<LawSchedule> schedules = schedules_of(each, shape_, options_.seed);
    std::optional<ThreadTeam> own_team;
    if (each.lanes > 0) {
      own_team.emplace(each.lanes);
    }
    const Runner::Parts parts{.program = each.program,
                              .backend = each.backend,
                              .team = own_team ? &*own_team : subject_.team};
    Runner runner = make_runner(parts, shape_, schedules);
    LawReplay replay({.runner = &runner,
                      .prompt = prompt_,
                      .poison = each.poison,
                      .progress = progress(each.name, schedules)});
    int64_t first_differing = -1;
    for (const LawSchedule& schedule : schedules) {
      replay.run(schedule, [&](int64_t position, std::span<const float> logits) {
        result.rows_compared += 1;
        if (std::memcmp(logits.data(), baseline_.data() + position * vocabulary_,
                        logits.size_bytes()) != 0) {
          first_differing = first_differing < 0 ? position : std::min(first_differing, position);
        }
      });
    }
    INVAR_CHECK(result.rows_compared >= tokens_of(each, shape_), "{} rows", result.rows_compared);
    result.copied = replay.copied();
    result.referenced = replay.referenced();
    result.pages_written = replay.pages_written();
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    result.status = first_differing < 0 ? LawResult::Status::kEqual : LawResult::Status::kDiffers;
    if (first_differing >= 0) {
      find_op(replay, schedules, result);
      if (result.position < 0) {
        result.position = first_differing;
        result.op = "unknown (equal when run again op by op)";
      }
    }
    return result;
  }

 private:
  Runner baseline_runner() const {
    return make_runner(
        {.program = subject_.program, .backend = subject_.backend, .team = subject_.team}, shape_,
        baseline_schedules_);
  }

  // Runs baseline and case again, digesting what every op writes.
  void find_op(LawReplay& replay, const std::vector<LawSchedule>& schedules, LawResult& result) {
    LawDigests digests(*subject_.program, shape_.tokens);
    Runner runner = baseline_runner();
    LawReplay baseline({.runner = &runner, .prompt = prompt_});
    baseline.run_hashed(baseline_schedules_[0],
                        [&](const LawReplay::HashedPass& pass) { digests.record(pass); });
    for (const LawSchedule& schedule : schedules) {
      replay.run_hashed(schedule,
                        [&](const LawReplay::HashedPass& pass) { digests.compare(pass); });
    }
    if (const std::optional<LawDifference> first = digests.first_difference()) {
      result.position = first->position;
      result.op = first->op;
    }
  }

  std::function<void(int64_t)> progress(const std::string& name,
                                        const std::vector<LawSchedule>& schedules) const {
    if (!options_.progress) {
      return {};
    }
    int64_t total = 0;
    for (const LawSchedule& schedule : schedules) {
      total += schedule_rows(schedule);
    }
    return [this, name, total, done = int64_t{0}](int64_t rows) mutable {
      // A case that differs is run a second time, past its total.
      done = std::min(done + rows, total);
      options_.progress(name, done, total);
    };
  }

  const LawSubject& subject_;
  const LawOptions& options_;
  LawShape shape_;
  int64_t vocabulary_;
  std::vector<int32_t> prompt_;
  std::vector<LawSchedule> baseline_schedules_;
  std::vector<float> baseline_;  // [tokens, vocabulary]
};

}  // namespace

std::vector<LawResult> check_law(const LawSubject& subject, const LawOptions& options) {
  const std::vector<LawCase> cases = chosen_cases(subject, options.only);
  LawCheck check(subject, options);
  check.run_baseline();
  std::vector<LawResult> results;
  for (const LawCase& each : cases) {
    results.push_back(check.run(each));
    if (options.on_result) {
      options.on_result(results.back());
    }
  }
  return results;
}

std::string describe_law_schedules(const LawSubject& subject, const LawOptions& options) {
  const LawShape shape = shape_of(subject, options);
  std::string text;
  for (const LawCase& each : chosen_cases(subject, options.only)) {
    for (const LawSchedule& schedule : schedules_of(each, shape, options.seed)) {
      text += fmt::format("case {}\n{}", each.name, describe(schedule));
    }
  }
  return text;
}

std::string describe(const std::string& model_name, const LawResult& result) {
  std::string text = fmt::format("law {} {}: ", model_name, result.case_name);
  switch (result.status) {
    case LawResult::Status::kEqual:
      return text + "equal";
    case LawResult::Status::kDiffers:
      return text + fmt::format("DIFFERS position {} op {}", result.position, result.op);
    case LawResult::Status::kSkipped:
      return text + "skipped " + result.why;
  }
  return text;
}

std::string describe_details(const LawResult& result) {
  const auto counts = [](const StateCounts& units) {
    std::vector<std::string> parts;
    for (const StateUnit unit : kStateUnits) {
      parts.push_back(fmt::format("{} {}s", units[unit], name_of(unit)));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
  };
  return fmt::format(
      "{} rows compared in {:.3f} s; copied {}; referenced {}; {} state_pages written",
      result.rows_compared, result.seconds, counts(result.copied), counts(result.referenced),
      result.pages_written);
}

LawSummary summarize(const std::vector<LawResult>& results) {
  LawSummary summary;
  for (const LawResult& result : results) {
    summary.equal += result.status == LawResult::Status::kEqual ? 1 : 0;
    summary.differ += result.status == LawResult::Status::kDiffers ? 1 : 0;
  }
  return summary;
}

std::string describe(const LawSummary& summary) {
  return fmt::format("{} equal, {} differ", summary.equal, summary.differ);
}

}  // namespace invar
