// What a case of the law does, as plain data: passes over numbered sequences, truncations and
// forks. A schedule is a pure function of its case, the seed and the shape, so a printed seed
// replays it; it can also be printed itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/law_random.h"

namespace invar {

// Rows of one sequence in a pass, appended where the sequence ends: the prompt's own tokens, then
// other ones. Other tokens differ from the prompt's at every position; `stream` chooses which.
struct LawSegment {
  int sequence = 0;
  int64_t prompt_rows = 0;
  int64_t other_rows = 0;
  int stream = 0;

  int64_t rows() const { return prompt_rows + other_rows; }
};

struct LawStep {
  enum class Kind {
    kPass,      // runs `segments`, which belong to different sequences
    kTruncate,  // `sequence` forgets all but its first `positions`
    kFork,      // a new `sequence` begins as the first `positions` of `from`
    kDrop,      // `sequence` is forgotten
  };
  Kind kind = Kind::kPass;
  std::vector<LawSegment> segments = {};
  int sequence = -1;
  int from = -1;
  int64_t positions = 0;
};

struct LawSchedule {
  std::vector<LawStep> steps;
};

// What a schedule has to fit. All counts are at least 1, and `context` is at least `tokens`.
struct LawShape {
  int64_t tokens = 0;   // of the prompt
  int64_t context = 0;  // positions of a sequence
  int64_t rows_max = 0;
  int64_t segments_max = 0;
};

using LawScheduler = LawSchedule (*)(const LawShape& shape, LawRandom& random);

// The whole prompt, in passes as large as the shape allows.
LawSchedule law_whole(const LawShape& shape, LawRandom& random);
// The same, but the last 40 tokens alone.
LawSchedule law_whole_then_single(const LawShape& shape, LawRandom& random);
// Twice, on two sequences.
LawSchedule law_twice(const LawShape& shape, LawRandom& random);
// Random pieces, those next to the sizes of kv_blocks and attention borders among them.
LawSchedule law_cuts(const LawShape& shape, LawRandom& random);
LawSchedule law_tokens(const LawShape& shape, LawRandom& random);
// Strangers of random lengths and positions beside it, in random order, that come and go; some of
// them have the same prompt.
LawSchedule law_batched(const LawShape& shape, LawRandom& random);
// Wrong tokens, truncated at random positions and at borders of kv_blocks, and run again.
LawSchedule law_truncate(const LawShape& shape, LawRandom& random);
// Forks inside kv_blocks: both branches go on with different tokens, and both are checked.
LawSchedule law_fork(const LawShape& shape, LawRandom& random);
// Drafts of up to 16 tokens, of which a random number is right and is kept.
LawSchedule law_verify(const LawShape& shape, LawRandom& random);

// Rows of all passes.
int64_t schedule_rows(const LawSchedule& schedule);

// What a runner needs to run it.
struct ScheduleSizes {
  int64_t positions_max = 0;  // of a sequence
  int64_t kv_blocks = 0;      // of all sequences together, even if they shared none
  int64_t sequences = 0;      // at the same time
};
ScheduleSizes schedule_sizes(const LawSchedule& schedule);

// One line a step: "pass 0+64 3~1(2) 0+3~5(7)" (sequence + prompt rows ~ other rows of a stream),
// "truncate 0 to 130", "fork 4 from 0 at 77", "drop 3".
std::string describe(const LawSchedule& schedule);

}  // namespace invar
