// Drawing, running and judging of random schedules (law_fuzz.h).
#include "engine/law_fuzz.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <unordered_map>

#include "cache/kv_block_table.h"
#include "cache/recurrent_table.h"
#include "core/digest.h"
#include "core/error.h"
#include "engine/law_bisect.h"
#include "engine/law_replay.h"
#include "engine/law_schedule_text.h"
#include "engine/law_shrink.h"
#include "engine/law_tracker.h"
#include "engine/timeline.h"

namespace invar {
namespace {

using Kind = LawStep::Kind;

constexpr int64_t kTokens = 300;  // crosses 4 chunk borders and one of attention
constexpr int64_t kPositionsBeyond = 100;
constexpr int64_t kPassRows = 256;
constexpr int64_t kPassSegments = 4;
constexpr int kSequences = 5;
constexpr int kSnapshots = 3;
constexpr int kStreams = 3;
constexpr int64_t kStepsMax = 60;
constexpr int64_t kShrinkRunsMax = 3000;

// Draws steps; those that are not possible where they would stand are drawn again.
class Drawer {
 public:
  Drawer(const LawShape& shape, LawRandom& random)
      : shape_(shape), random_(random), tracker_(shape) {}

  LawSchedule draw() {
    const int64_t steps = 2 + random_.below(kStepsMax - 1);
    // Long schedules of long pieces would say little more and take long.
    const int64_t rows_max = 3 * shape_.tokens;
    int64_t rows = 0;
    for (int64_t i = 0; i < steps && rows < rows_max; ++i) {
      if (std::optional<LawStep> step = tracker_.fitted(draw_step(i == 0))) {
        tracker_.apply(*step);
        for (const LawSegment& segment : step->segments) {
          rows += segment.rows();
        }
        schedule_.steps.push_back(std::move(*step));
      }
    }
    return std::move(schedule_);
  }

 private:
  // A random name below `count` of those that satisfy `wanted`; of all if none does.
  template <class Wanted>
  int name(int count, Wanted wanted) {
    std::vector<int> names;
    for (int i = 0; i < count; ++i) {
      if (wanted(i)) {
        names.push_back(i);
      }
    }
    return names.empty() ? static_cast<int>(random_.below(count))
                         : names[static_cast<size_t>(random_.below(std::ssize(names)))];
  }
  int sequence() {
    return name(kSequences, [&](int i) { return tracker_.has_sequence(i); });
  }
  int new_sequence() {
    return name(kSequences, [&](int i) { return !tracker_.has_sequence(i); });
  }
  int snapshot() {
    return name(kSnapshots, [&](int i) { return tracker_.has_snapshot(i); });
  }
  int new_snapshot() {
    return name(kSnapshots, [&](int i) { return !tracker_.has_snapshot(i); });
  }

  int64_t piece(int64_t begin) {
    const int64_t to_border = kChunkRows - begin % kChunkRows;
    switch (random_.below(6)) {
      case 0:
      case 1:
        return 1;
      case 2:
        return random_.up_to(16);
      case 3:
        return kChunkRows - 1 + random_.below(3);
      case 4:
        return std::max<int64_t>(1, to_border - 1 + random_.below(3));
      default:
        return random_.up_to(150);
    }
  }

  LawSegment segment(int name) {
    const int64_t begin = tracker_.positions(name);
    LawSegment segment{.sequence = name, .waits = random_.chance(40)};
    const int64_t rows = piece(begin);
    const int64_t right = random_.chance(65) ? rows : random_.chance(50) ? random_.below(rows) : 0;
    segment.prompt_rows = right;
    segment.other_rows = rows - right;
    segment.stream = 1 + static_cast<int>(random_.below(kStreams));
    if (random_.chance(30)) {
      segment.captures = {(begin / kChunkRows + random_.up_to(2)) * kChunkRows};
    }
    return segment;
  }

  LawStep pass() {
    LawStep pass{.kind = Kind::kPass};
    std::vector<int> names;
    for (int name = 0; name < kSequences; ++name) {
      names.push_back(name);
    }
    random_.shuffle(names);
    // Mostly those that are there already.
    std::stable_partition(names.begin(), names.end(), [&](int name) {
      return tracker_.has_sequence(name) || random_.chance(15);
    });
    names.resize(static_cast<size_t>(random_.up_to(std::min<int64_t>(3, shape_.segments_max))));
    random_.shuffle(names);
    for (const int name : names) {
      pass.segments.push_back(segment(name));
    }
    return pass;
  }

  // At the end, near it, at a boundary, or anywhere.
  int64_t position_in(int name) {
    const int64_t end = tracker_.positions(name);
    switch (random_.below(4)) {
      case 0:
        return end;
      case 1:
        return end - std::min(end, random_.up_to(20));
      case 2:
        return random_.below(end / kChunkRows + 1) * kChunkRows;
      default:
        return random_.below(end + 1);
    }
  }

  LawStep truncation() {
    const int name = sequence();
    const int64_t accepted = tracker_.accepted(name);
    const int64_t waiting = tracker_.positions(name) - accepted;
    const bool rejects = waiting > 0 && random_.chance(60);
    return {.kind = Kind::kTruncate,
            .sequence = name,
            .positions = rejects ? accepted + random_.below(waiting) : position_in(name)};
  }

  LawStep acceptance() {
    const int name = sequence();
    const int64_t accepted = tracker_.accepted(name);
    return {.kind = Kind::kAccept,
            .sequence = name,
            .positions = accepted + random_.up_to(tracker_.positions(name) - accepted)};
  }

  LawStep draw_step(bool first) {
    const int64_t choice = random_.below(100);
    const int name = sequence();
    if (first || choice < 46) {
      return pass();
    }
    if (choice < 54) {
      return acceptance();
    }
    if (choice < 64) {
      return truncation();
    }
    if (choice < 71) {
      return {.kind = Kind::kFork,
              .sequence = new_sequence(),
              .from = name,
              .positions = position_in(name)};
    }
    if (choice < 81) {
      return {.kind = Kind::kSnapshot,
              .sequence = name,
              .snapshot = new_snapshot(),
              .positions = position_in(name)};
    }
    if (choice < 90) {
      return {.kind = Kind::kResume, .sequence = new_sequence(), .snapshot = snapshot()};
    }
    if (choice < 92) {
      return {.kind = Kind::kEvict, .sequence = name, .rows = random_.up_to(shape_.rows_max)};
    }
    if (choice < 97) {
      return {.kind = Kind::kDrop, .sequence = name};
    }
    return {.kind = Kind::kForget, .snapshot = snapshot()};
  }

  const LawShape& shape_;
  LawRandom& random_;
  LawTracker tracker_;
  LawSchedule schedule_;
};

uint64_t digest_of(std::span<const int32_t> token_ids) {
  return digest64(token_ids.data(), token_ids.size_bytes());
}

// Logits after sequences of tokens, each computed alone from its first token on and remembered.
class LogitsAlone {
 public:
  explicit LogitsAlone(Runner& runner) : runner_(runner) {}

  // Of the logits after the first `count` tokens.
  uint64_t digest(std::span<const int32_t> token_ids, int64_t count) {
    const uint64_t key = digest_of(token_ids.first(static_cast<size_t>(count)));
    if (!digests_.contains(key)) {
      compute(token_ids);
    }
    return digests_.at(key);
  }

 private:
  void compute(std::span<const int32_t> token_ids) {
    Timeline line(runner_);
    line.append(
        {.token_ids = token_ids, .rows = LogitRows::kAll},
        [&](int64_t position, std::span<const float> logits) {
          if (std::any_of(logits.begin(), logits.end(), [](float x) { return std::isnan(x); })) {
            fail(Code::kBadFile, "logits alone at position {}: expected numbers, found NaN",
                 position);
          }
          digests_[digest_of(token_ids.first(static_cast<size_t>(position) + 1))] =
              digest64(logits.data(), logits.size_bytes());
        });
  }

  Runner& runner_;
  std::unordered_map<uint64_t, uint64_t> digests_;  // by the digest of the tokens
};

RunnerLimits limits_of(const LawShape& shape, const LawSchedule& schedule) {
  RunnerLimits limits{.context_positions = shape.context,
                      .rows_max = shape.rows_max,
                      .segments_max = shape.segments_max,
                      .logit_rows_max = shape.rows_max};
  const int64_t kv_blocks = kv_blocks_for(shape.context);
  if (!schedule.steps.empty()) {
    const ScheduleSizes sizes = schedule_sizes(schedule, shape);
    limits.kv_blocks = std::max(sizes.kv_blocks, kv_blocks);
    limits.state_pages = std::max(sizes.recurrent_units, kRecurrentUnitsMax);
  } else {
    // Enough for whatever is drawn: all rows may wait, and every boundary may be kept.
    limits.kv_blocks = (kSequences + kSnapshots) * kv_blocks;
    limits.state_pages =
        kSequences * (kRecurrentUnitsMax + 2 * kv_blocks) + kSnapshots * kRecurrentUnitsMax;
  }
  limits.row_blocks = limits.state_pages;
  return limits;
}

class LawFuzz {
 public:
  LawFuzz(const LawSubject& subject, const LawFuzzOptions& options)
      : options_(options),
        shape_(law_fuzz_shape(subject, options)),
        program_(*subject.program),
        runner_({.program = subject.program, .backend = subject.backend, .team = subject.team},
                limits_of(shape_, options.schedule)),
        alone_runner_(
            {.program = subject.program, .backend = subject.backend, .team = subject.team},
            {.context_positions = shape_.context,
             .rows_max = shape_.rows_max,
             .segments_max = 1,
             .logit_rows_max = shape_.rows_max}),
        alone_(alone_runner_) {}

  LawFuzzResult run() {
    const auto begin = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < options_.schedules && !result_.failure; ++i) {
      run_seed(options_.seed + static_cast<uint64_t>(i));
      result_.schedules += 1;
      if (options_.progress) {
        options_.progress(i + 1);
      }
    }
    const StateMemory& memory = runner_.state_memory();
    result_.copied = memory.storage().copied();
    result_.referenced = memory.referenced();
    result_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::move(result_);
  }

 private:
  void run_seed(uint64_t seed) {
    prompt_ = law_prompt(seed, shape_.tokens, program_.output.columns);
    LawRandom random(seed, "fuzz");
    const bool given = !options_.schedule.steps.empty();
    const LawSchedule schedule = given ? options_.schedule : law_random_schedule(shape_, random);
    result_.steps += std::ssize(schedule.steps);
    if (!differs(schedule)) {
      return;
    }
    LawFuzzFailure failure{.seed = seed, .found = schedule, .shrunk = schedule, .op = ""};
    if (!given) {
      ShrunkLawSchedule shrunk = shrink_law_schedule(
          schedule, shape_, [this](const LawSchedule& smaller) { return differs(smaller); },
          kShrinkRunsMax);
      failure.shrunk = std::move(shrunk.schedule);
      failure.runs = shrunk.runs;
    }
    name_difference(failure);
    result_.failure = std::move(failure);
  }

  LawReplay replay(std::span<const int32_t> compared) {
    return LawReplay({.runner = &runner_, .prompt = prompt_, .compared = compared, .poison = true});
  }

  // Keeps the tokens of the first row that differs.
  bool differs(const LawSchedule& schedule) {
    differing_.clear();
    LawReplay replay = this->replay({});
    replay.run_rows(schedule, [&](const LawReplay::Row& row) {
      result_.rows_compared += 1;
      if (differing_.empty() && digest64(row.logits.data(), row.logits.size_bytes()) !=
                                    alone_.digest(row.token_ids, row.position + 1)) {
        differing_.assign(row.token_ids.begin(), row.token_ids.begin() + row.position + 1);
      }
    });
    return !differing_.empty();
  }

  void name_difference(LawFuzzFailure& failure) {
    differs(failure.shrunk);
    const auto length = std::ssize(differing_);
    failure.position = length - 1;
    failure.op = "unknown (equal when run again op by op)";
    if (length == 0) {
      return;
    }
    LawDigests digests(program_, length);
    LawReplay alone({.runner = &alone_runner_, .prompt = differing_});
    LawShape whole = shape_;
    whole.tokens = length;
    LawRandom random(failure.seed, "alone");
    alone.run_hashed(law_whole(whole, random),
                     [&](const LawReplay::HashedPass& pass) { digests.record(pass); });
    LawReplay again = replay(differing_);
    again.run_hashed(failure.shrunk,
                     [&](const LawReplay::HashedPass& pass) { digests.compare(pass); });
    if (const std::optional<LawDifference> first = digests.first_difference()) {
      failure.position = first->position;
      failure.op = first->op;
    }
  }

  const LawFuzzOptions& options_;
  LawShape shape_;
  const Program& program_;
  Runner runner_;
  Runner alone_runner_;
  LogitsAlone alone_;
  std::vector<int32_t> prompt_;
  std::vector<int32_t> differing_;
  LawFuzzResult result_;
};

}  // namespace

LawSchedule law_random_schedule(const LawShape& shape, LawRandom& random) {
  return Drawer(shape, random).draw();
}

LawShape law_fuzz_shape(const LawSubject& subject, const LawFuzzOptions& options) {
  const int64_t tokens = options.tokens > 0 ? options.tokens : std::min(kTokens, subject.context);
  if (tokens > subject.context) {
    fail(Code::kBadArgument, "fuzz: tokens: expected 1 to {}, found {}", subject.context, tokens);
  }
  return {.tokens = tokens,
          .context = std::min(subject.context, tokens + kPositionsBeyond),
          .rows_max = kPassRows,
          .segments_max = kPassSegments};
}

LawFuzzResult fuzz_law(const LawSubject& subject, const LawFuzzOptions& options) {
  return LawFuzz(subject, options).run();
}

std::string describe(const std::string& model_name, const LawFuzzResult& result) {
  std::string text = fmt::format("law {} fuzz: ", model_name);
  if (!result.failure) {
    text += "equal\n";
  } else {
    text +=
        fmt::format("DIFFERS position {} op {}\n", result.failure->position, result.failure->op);
  }
  text += fmt::format("{} schedules, {} steps, {} rows compared in {:.1f} s\n", result.schedules,
                      result.steps, result.rows_compared, result.seconds);
  if (result.failure) {
    const LawFuzzFailure& failure = *result.failure;
    text += fmt::format("seed {}: {} steps, shrunk to these {} in {} runs:\n{}", failure.seed,
                        failure.found.steps.size(), failure.shrunk.steps.size(), failure.runs,
                        describe(failure.shrunk));
  }
  return text;
}

}  // namespace invar
