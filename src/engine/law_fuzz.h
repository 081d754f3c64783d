// The law under random schedules: passes of several sequences, drafts, rejections, forks, snapshots
// and evictions in any order. Every row of every pass is compared, byte for byte, with the logits
// of its tokens computed alone; a schedule that fails is shrunk to the shortest that still does.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/law.h"
#include "engine/law_schedule.h"

namespace invar {

// Up to 60 steps over a few sequences, all possible.
LawSchedule law_random_schedule(const LawShape& shape, LawRandom& random);

struct LawFuzzOptions {
  // Of the first schedule and its prompt; each next one has the next seed, so that a schedule is
  // found again by its own seed alone.
  uint64_t seed = 1;
  int64_t schedules = 1;
  int64_t tokens = 0;  // of a prompt; 0: 300, or the context if that is shorter
  // If there are steps: this one schedule instead of random ones; it is not shrunk.
  LawSchedule schedule = {};
  std::function<void(int64_t done)> progress = {};  // after each schedule; may be empty
};

struct LawFuzzFailure {
  uint64_t seed = 0;
  LawSchedule found = {};   // as it was drawn
  LawSchedule shrunk = {};  // each step and row of it is needed
  int64_t runs = 0;         // of schedules while it was shrunk
  // Of a row of the shrunk one that differs: the first position at which an op wrote other bytes
  // than alone, and that op. If none did when it was run again, the row's own position.
  int64_t position = -1;
  std::string op = {};
};

struct LawFuzzResult {
  int64_t schedules = 0;  // that were run, the failing one included
  int64_t steps = 0;
  int64_t rows_compared = 0;
  StateCounts copied = {};
  StateCounts referenced = {};
  double seconds = 0;
  std::optional<LawFuzzFailure> failure = {};  // of the first schedule that failed
};

// What a schedule of these options has to fit, for parse_law_schedule. Throws kBadArgument for a
// number of tokens that the context cannot hold.
LawShape law_fuzz_shape(const LawSubject& subject, const LawFuzzOptions& options);

// Stops at the first schedule that fails. Throws what law_fuzz_shape throws, and kBadFile if logits
// computed alone are not numbers.
LawFuzzResult fuzz_law(const LawSubject& subject, const LawFuzzOptions& options);

// "law NAME fuzz: equal" or "law NAME fuzz: DIFFERS position P op O", then lines about what was
// run and, of a failure, the steps of the shrunk schedule.
std::string describe(const std::string& model_name, const LawFuzzResult& result);

}  // namespace invar
