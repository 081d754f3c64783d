// The schedulers of the law's cases (law_schedule.h).
#include "engine/law_schedule.h"

#include <algorithm>

#include "cache/kv_block_table.h"
#include "engine/law_tracker.h"

namespace invar {
namespace {

// Tokens that come alone at the end of law_whole_then_single: a decode after a prefill.
constexpr int64_t kSingleRows = 6;
constexpr int64_t kDraftRowsMax = 16;

// Writes steps and remembers what they lead to.
class Writer {
 public:
  explicit Writer(const LawShape& shape) : shape_(shape), tracker_(shape) {}

  int64_t positions(int sequence) const { return tracker_.positions(sequence); }
  int64_t prompt_left(int sequence) const { return shape_.tokens - positions(sequence); }
  int64_t context_left(int sequence) const { return shape_.context - positions(sequence); }
  int new_sequence() { return sequences_++; }

  // Segments without rows are left out.
  void pass(std::vector<LawSegment> segments) {
    std::erase_if(segments, [](const LawSegment& segment) { return segment.rows() == 0; });
    for (LawSegment& segment : segments) {
      segment.stream = segment.other_rows > 0 ? segment.stream : 0;
    }
    if (!segments.empty()) {
      add({.kind = LawStep::Kind::kPass, .segments = std::move(segments)});
    }
  }
  // Up to `rows` of the prompt, as many as are left, in passes as large as the shape allows.
  void prompt(int sequence, int64_t rows) {
    rows = std::min(rows, prompt_left(sequence));
    while (rows > 0) {
      const int64_t piece = std::min(rows, shape_.rows_max);
      pass({{.sequence = sequence, .prompt_rows = piece}});
      rows -= piece;
    }
  }
  void accept(int sequence, int64_t positions) {
    add({.kind = LawStep::Kind::kAccept, .sequence = sequence, .positions = positions});
  }
  void truncate(int sequence, int64_t positions) {
    if (positions < this->positions(sequence)) {
      add({.kind = LawStep::Kind::kTruncate, .sequence = sequence, .positions = positions});
    }
  }
  int fork(int from, int64_t positions) {
    const int sequence = new_sequence();
    add({.kind = LawStep::Kind::kFork, .sequence = sequence, .from = from, .positions = positions});
    return sequence;
  }
  int snapshot(int sequence, int64_t positions) {
    const int snapshot = snapshots_++;
    add({.kind = LawStep::Kind::kSnapshot,
         .sequence = sequence,
         .snapshot = snapshot,
         .positions = positions});
    return snapshot;
  }
  int resume(int snapshot) {
    const int sequence = new_sequence();
    add({.kind = LawStep::Kind::kResume, .sequence = sequence, .snapshot = snapshot});
    return sequence;
  }
  void evict(int sequence, int64_t rows) {
    add({.kind = LawStep::Kind::kEvict, .sequence = sequence, .rows = rows});
  }
  void drop(int sequence) { add({.kind = LawStep::Kind::kDrop, .sequence = sequence}); }
  void forget(int snapshot) { add({.kind = LawStep::Kind::kForget, .snapshot = snapshot}); }

  LawSchedule take() { return std::move(schedule_); }

 private:
  void add(LawStep step) {
    tracker_.apply(step);
    schedule_.steps.push_back(std::move(step));
  }

  const LawShape& shape_;
  LawSchedule schedule_;
  LawTracker tracker_;
  int sequences_ = 1;  // sequence 0 is there from the start
  int snapshots_ = 0;
};

// A sequence beside the one that is checked, and the tokens that it takes.
struct Stranger {
  int sequence = 0;
  int stream = 0;  // 0: the same prompt
};

// The rows that a stranger would have in the next pass: often one, else a prompt's chunk.
int64_t wanted_rows(const Writer& writer, const Stranger& stranger, LawRandom& random) {
  const int64_t left = stranger.stream == 0 ? writer.prompt_left(stranger.sequence)
                                            : writer.context_left(stranger.sequence);
  const bool begins = writer.positions(stranger.sequence) == 0;
  const int64_t rows = begins ? random.up_to(70) : random.chance(80) ? 1 : random.up_to(20);
  return std::min(rows, left);
}

// Position `below` or less that lies inside a kv_block; at least 1.
int64_t inside_kv_block(int64_t below) {
  return below % kKvBlockRows == 0 ? below - 1 : below;
}

}  // namespace

LawSchedule law_whole(const LawShape& shape, LawRandom& /*random*/) {
  Writer writer(shape);
  writer.prompt(0, shape.tokens);
  return writer.take();
}

LawSchedule law_whole_then_single(const LawShape& shape, LawRandom& /*random*/) {
  Writer writer(shape);
  writer.prompt(0, shape.tokens - kSingleRows);
  while (writer.prompt_left(0) > 0) {
    writer.prompt(0, 1);
  }
  return writer.take();
}

LawSchedule law_twice(const LawShape& shape, LawRandom& /*random*/) {
  Writer writer(shape);
  const int second = writer.new_sequence();
  writer.prompt(0, shape.tokens);
  writer.prompt(second, shape.tokens);
  return writer.take();
}

LawSchedule law_cuts(const LawShape& shape, LawRandom& random) {
  Writer writer(shape);
  std::vector<int64_t> pieces = {1, 63, 64, 65, 255, 256, 257};
  random.shuffle(pieces);
  for (const int64_t piece : pieces) {
    writer.prompt(0, piece);
    if (random.chance(50)) {
      writer.prompt(0, random.up_to(32));
    }
  }
  while (writer.prompt_left(0) > 0) {
    writer.prompt(0, random.chance(30) ? pieces[random.below(std::ssize(pieces))]
                                       : random.up_to(shape.rows_max));
  }
  return writer.take();
}

LawSchedule law_tokens(const LawShape& shape, LawRandom& /*random*/) {
  Writer writer(shape);
  while (writer.prompt_left(0) > 0) {
    writer.prompt(0, 1);
  }
  return writer.take();
}

LawSchedule law_batched(const LawShape& shape, LawRandom& random) {
  Writer writer(shape);
  const int64_t strangers_max = std::min<int64_t>(6, shape.segments_max - 1);
  std::vector<Stranger> strangers;
  int streams = 0;
  while (writer.prompt_left(0) > 0) {
    const int64_t wanted = random.up_to(strangers_max);
    while (std::ssize(strangers) < wanted) {
      const bool same_prompt = random.chance(20);
      strangers.push_back(
          {.sequence = writer.new_sequence(), .stream = same_prompt ? 0 : ++streams});
    }
    int64_t room = shape.rows_max;
    std::vector<LawSegment> segments;
    const int64_t rows = random.chance(50) ? 1 : random.up_to(90);
    segments.push_back(
        {.sequence = 0, .prompt_rows = std::min({rows, writer.prompt_left(0), room})});
    room -= segments.back().rows();
    for (const Stranger& stranger : strangers) {
      const int64_t stranger_rows = std::min(wanted_rows(writer, stranger, random), room);
      segments.push_back({.sequence = stranger.sequence,
                          .prompt_rows = stranger.stream == 0 ? stranger_rows : 0,
                          .other_rows = stranger.stream == 0 ? 0 : stranger_rows,
                          .stream = stranger.stream});
      room -= stranger_rows;
    }
    random.shuffle(segments);
    writer.pass(std::move(segments));
    // Those who leave give their kv_blocks back, to be used again by others.
    std::erase_if(strangers, [&](const Stranger& stranger) {
      const bool ends = writer.positions(stranger.sequence) > 0 &&
                        (random.chance(20) || writer.context_left(stranger.sequence) == 0);
      if (ends) {
        writer.drop(stranger.sequence);
      }
      return ends;
    });
  }
  return writer.take();
}

LawSchedule law_truncate(const LawShape& shape, LawRandom& random) {
  Writer writer(shape);
  int streams = 0;
  while (writer.prompt_left(0) > 0) {
    writer.prompt(0, random.up_to(120));
    const int64_t right = writer.positions(0);
    const int64_t wrong = std::min({random.up_to(60), writer.context_left(0), shape.rows_max});
    writer.pass(
        {{.sequence = 0, .other_rows = wrong, .stream = ++streams, .waits = random.chance(50)}});
    if (random.chance(30)) {  // first to a place among the wrong ones
      writer.truncate(0, right + random.below(wrong + 1));
    }
    const int64_t choice = random.below(10);
    const int64_t border = right / kKvBlockRows * kKvBlockRows;
    const int64_t earlier = std::max<int64_t>(0, right - random.up_to(150));
    writer.truncate(0, choice < 6 ? right : choice < 8 ? border : earlier);
  }
  return writer.take();
}

LawSchedule law_fork(const LawShape& shape, LawRandom& random) {
  Writer writer(shape);
  int streams = 0;
  int trunk = 0;  // the sequence that has the prompt's tokens
  while (writer.prompt_left(trunk) > 0) {
    // Both branches write into the kv_block of the fork, so one of them has to copy it.
    writer.prompt(trunk, random.up_to(90));
    if (writer.positions(trunk) % kKvBlockRows == 0) {
      writer.prompt(trunk, 1);
    }
    const int64_t at_end = writer.positions(trunk);
    const int64_t at = inside_kv_block(random.chance(50) ? at_end : random.up_to(at_end));
    const int fork = writer.fork(trunk, at);
    int right = trunk;
    int wrong = fork;
    if (random.chance(50)) {
      std::swap(right, wrong);
    }
    const int64_t wrong_begin = writer.positions(wrong);
    const int64_t rows_max = shape.rows_max / 2;
    std::vector<LawSegment> segments = {
        {.sequence = right,
         .prompt_rows = std::min({random.up_to(60), writer.prompt_left(right), rows_max})},
        {.sequence = wrong,
         .other_rows = std::min({random.up_to(60), writer.context_left(wrong), rows_max}),
         .stream = ++streams}};
    random.shuffle(segments);
    writer.pass(std::move(segments));
    // The branch that went astray goes back to where it left the prompt, and is right from there.
    writer.truncate(wrong, wrong_begin);
    writer.prompt(wrong, random.up_to(60));
    const bool wrong_is_ahead = writer.positions(wrong) > writer.positions(right);
    writer.drop(wrong_is_ahead ? right : wrong);
    trunk = wrong_is_ahead ? wrong : right;
  }
  return writer.take();
}

LawSchedule law_verify(const LawShape& shape, LawRandom& random) {
  Writer writer(shape);
  int streams = 0;
  const int64_t rows_max = std::min(kDraftRowsMax, shape.rows_max);
  while (writer.prompt_left(0) > 0) {
    // The first row is the token that the last pass sampled: it is always right.
    const int64_t rows = std::min(random.up_to(rows_max), writer.context_left(0));
    const int64_t accepted = std::min(random.up_to(rows), writer.prompt_left(0));
    const int64_t begin = writer.positions(0);
    writer.pass({{.sequence = 0,
                  .prompt_rows = accepted,
                  .other_rows = rows - accepted,
                  .stream = ++streams,
                  .waits = true}});
    // Which comes first makes no difference; now and then the accepted ones wait for more.
    if (random.chance(50)) {
      writer.accept(0, begin + accepted);
    }
    writer.truncate(0, begin + accepted);
    if (random.chance(20) && writer.prompt_left(0) > 0) {
      writer.pass({{.sequence = 0, .prompt_rows = 1, .waits = true}});
    }
  }
  return writer.take();
}

LawSchedule law_snapshot(const LawShape& shape, LawRandom& random) {
  Writer writer(shape);
  int streams = 0;
  int trunk = 0;  // the sequence that has the prompt's tokens
  while (writer.prompt_left(trunk) > 0) {
    // A piece with a boundary in it that is kept, if it crosses one.
    const int64_t begin = writer.positions(trunk);
    const int64_t rows = std::min({random.up_to(200), writer.prompt_left(trunk), shape.rows_max});
    const int64_t boundary = (begin / kKvBlockRows + random.up_to(2)) * kKvBlockRows;
    LawSegment piece{.sequence = trunk, .prompt_rows = rows};
    if (boundary <= begin + rows) {
      piece.captures = {boundary};
    }
    writer.pass({piece});
    const int64_t end = writer.positions(trunk);
    // Anywhere in the open chunk, at its end, or at the boundary that was kept.
    const int64_t held = end / kKvBlockRows * kKvBlockRows;
    const int64_t choice = random.below(4);
    const int64_t at = choice == 0                             ? end
                       : choice == 1 || piece.captures.empty() ? held + random.below(end - held + 1)
                                                               : boundary;
    const int snapshot = writer.snapshot(trunk, at);
    // What was snapshot goes on, astray.
    const int64_t astray = std::min({random.up_to(80), writer.context_left(trunk), shape.rows_max});
    writer.pass({{.sequence = trunk, .other_rows = astray, .stream = ++streams}});
    if (random.chance(50)) {
      writer.drop(trunk);
    } else {
      writer.truncate(trunk, end);
    }
    // Two go on from it, side by side.
    const int first = writer.resume(snapshot);
    const int second = writer.resume(snapshot);
    writer.forget(snapshot);
    const int64_t rows_each = shape.rows_max / 2;
    writer.pass(
        {{.sequence = first,
          .prompt_rows = std::min({random.up_to(60), writer.prompt_left(first), rows_each})},
         {.sequence = second,
          .other_rows = std::min({random.up_to(60), writer.context_left(second), rows_each}),
          .stream = ++streams}});
    writer.drop(second);
    if (writer.positions(trunk) > 0) {
      writer.drop(trunk);
    }
    writer.prompt(first, random.up_to(30));
    trunk = first;
  }
  return writer.take();
}

LawSchedule law_evicted(const LawShape& shape, LawRandom& random) {
  Writer writer(shape);
  constexpr int64_t kEvictions = 3;  // each computes all that there is again
  for (int64_t i = 0; i < kEvictions; ++i) {
    writer.prompt(0, random.up_to(shape.tokens / kEvictions));
    writer.prompt(0, random.up_to(5));
    writer.evict(0, std::min(shape.rows_max, 1 + random.below(150)));
  }
  writer.prompt(0, shape.tokens);
  return writer.take();
}

int64_t schedule_rows(const LawSchedule& schedule) {
  int64_t rows = 0;
  for (const LawStep& step : schedule.steps) {
    for (const LawSegment& segment : step.segments) {
      rows += segment.rows();
    }
  }
  return rows;
}

}  // namespace invar
