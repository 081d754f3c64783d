// What a case of the law does, as plain data: passes over numbered sequences, and all that is done
// to their state in between. A schedule is a pure function of its case, the seed and the shape, so
// a printed seed replays it; it can also be printed itself (law_schedule_text.h).
#pragma once

#include <cstdint>
#include <vector>

#include "engine/law_random.h"

namespace invar {

// Rows of one sequence in a pass, appended where the sequence ends: the prompt's own tokens, then
// other ones. Other tokens differ from the prompt's at every position; `stream` (1 or more where
// there are any) chooses which.
struct LawSegment {
  int sequence = 0;
  int64_t prompt_rows = 0;
  int64_t other_rows = 0;
  int stream = 0;
  bool waits = false;                  // the rows are not accepted as they are computed
  std::vector<int64_t> captures = {};  // boundaries within the rows to keep, ascending

  int64_t rows() const { return prompt_rows + other_rows; }
  bool operator==(const LawSegment&) const = default;
};

// Sequences and snapshots are named by numbers; a sequence without a name yet is empty.
struct LawStep {
  enum class Kind {
    kPass,      // runs `segments`, which belong to different sequences
    kAccept,    // the first `positions` of `sequence` will not be rejected
    kTruncate,  // `sequence` forgets all but its first `positions`
    kFork,      // a new `sequence` begins as the first `positions` of the sequence `from`
    kSnapshot,  // a new `snapshot` is taken of `sequence` at `positions`
    kResume,    // a new `sequence` goes on at `snapshot`, which stays
    kEvict,     // the state of `sequence` is given up; passes of `rows` rows compute it again
    kDrop,      // `sequence` is forgotten
    kForget,    // `snapshot` is forgotten
  };
  Kind kind = Kind::kPass;
  std::vector<LawSegment> segments = {};
  int sequence = -1;
  int from = -1;
  int snapshot = -1;
  int64_t positions = 0;
  int64_t rows = 0;

  bool operator==(const LawStep&) const = default;
};

struct LawSchedule {
  std::vector<LawStep> steps;

  bool operator==(const LawSchedule&) const = default;
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
// The same, but the last 6 tokens alone.
LawSchedule law_whole_then_single(const LawShape& shape, LawRandom& random);
// Twice, on two sequences.
LawSchedule law_twice(const LawShape& shape, LawRandom& random);
// Random pieces, those next to the sizes of kv_blocks and attention borders among them.
LawSchedule law_cuts(const LawShape& shape, LawRandom& random);
LawSchedule law_tokens(const LawShape& shape, LawRandom& random);
// Strangers of random lengths and positions beside it, in random order, that come and go; some of
// them have the same prompt. Most rows are the checked sequence's own.
LawSchedule law_batched(const LawShape& shape, LawRandom& random);
// Wrong tokens, truncated at random positions and at borders of kv_blocks, and run again.
LawSchedule law_truncate(const LawShape& shape, LawRandom& random);
// Forks inside kv_blocks: both branches go on with different tokens, and both are checked.
LawSchedule law_fork(const LawShape& shape, LawRandom& random);
// Drafts of up to 16 tokens, of which a random number is right and is accepted; the others are
// rejected, across chunk borders too.
LawSchedule law_verify(const LawShape& shape, LawRandom& random);
// Snapshots at the end, a little before it and at captured boundaries; sequences go on from old
// ones, several from the same, while the one that was snapshot goes astray or is dropped.
LawSchedule law_snapshot(const LawShape& shape, LawRandom& random);
// State that is given up and computed again, in other pieces, before the sequence goes on.
LawSchedule law_evicted(const LawShape& shape, LawRandom& random);

// Rows of all passes, but for those that are computed again.
int64_t schedule_rows(const LawSchedule& schedule);

}  // namespace invar
