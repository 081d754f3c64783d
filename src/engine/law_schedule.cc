// The schedulers of the law's cases (law_schedule.h).
#include "engine/law_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cache/kv_block_table.h"

namespace invar {
namespace {

// Tokens that come alone at the end of law_whole_then_single: a decode after a prefill.
constexpr int64_t kSingleRows = 40;
constexpr int64_t kDraftRowsMax = 16;

// Writes steps and remembers how long each sequence is.
class Writer {
 public:
  explicit Writer(const LawShape& shape) : shape_(shape) {}

  int64_t positions(int sequence) const {
    const auto found = positions_.find(sequence);
    return found == positions_.end() ? 0 : found->second;
  }
  int64_t prompt_left(int sequence) const { return shape_.tokens - positions(sequence); }
  int64_t context_left(int sequence) const { return shape_.context - positions(sequence); }
  int new_sequence() { return sequences_++; }

  // Segments without rows are left out.
  void pass(std::vector<LawSegment> segments) {
    std::erase_if(segments, [](const LawSegment& segment) { return segment.rows() == 0; });
    if (segments.empty()) {
      return;
    }
    for (const LawSegment& segment : segments) {
      positions_[segment.sequence] += segment.rows();
    }
    schedule_.steps.push_back({.kind = LawStep::Kind::kPass, .segments = std::move(segments)});
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
  void truncate(int sequence, int64_t positions) {
    positions_[sequence] = positions;
    schedule_.steps.push_back(
        {.kind = LawStep::Kind::kTruncate, .sequence = sequence, .positions = positions});
  }
  int fork(int from, int64_t positions) {
    const int sequence = new_sequence();
    positions_[sequence] = positions;
    schedule_.steps.push_back(
        {.kind = LawStep::Kind::kFork, .sequence = sequence, .from = from, .positions = positions});
    return sequence;
  }
  void drop(int sequence) {
    positions_.erase(sequence);
    schedule_.steps.push_back({.kind = LawStep::Kind::kDrop, .sequence = sequence});
  }

  LawSchedule take() { return std::move(schedule_); }

 private:
  const LawShape& shape_;
  LawSchedule schedule_;
  std::map<int, int64_t> positions_;
  int sequences_ = 1;  // sequence 0 is there from the start
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
  const int64_t rows = begins ? random.up_to(150) : random.chance(60) ? 1 : random.up_to(50);
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
    writer.pass({{.sequence = 0, .other_rows = wrong, .stream = ++streams}});
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
                  .stream = ++streams}});
    if (accepted < rows) {
      writer.truncate(0, begin + accepted);
    }
  }
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

ScheduleSizes schedule_sizes(const LawSchedule& schedule) {
  ScheduleSizes sizes;
  std::map<int, int64_t> positions;
  for (const LawStep& step : schedule.steps) {
    for (const LawSegment& segment : step.segments) {
      positions[segment.sequence] += segment.rows();
    }
    if (step.kind == LawStep::Kind::kDrop) {
      positions.erase(step.sequence);
    } else if (step.kind != LawStep::Kind::kPass) {
      positions[step.sequence] = step.positions;
    }
    int64_t kv_blocks = 0;
    for (const auto& [sequence, count] : positions) {
      sizes.positions_max = std::max(sizes.positions_max, count);
      kv_blocks += kv_blocks_for(count);
    }
    sizes.kv_blocks = std::max(sizes.kv_blocks, kv_blocks);
    sizes.sequences = std::max(sizes.sequences, std::ssize(positions));
  }
  return sizes;
}

std::string describe(const LawSchedule& schedule) {
  std::string text;
  for (const LawStep& step : schedule.steps) {
    switch (step.kind) {
      case LawStep::Kind::kPass:
        text += "pass";
        for (const LawSegment& segment : step.segments) {
          text += fmt::format(" {}", segment.sequence);
          if (segment.prompt_rows > 0) {
            text += fmt::format("+{}", segment.prompt_rows);
          }
          if (segment.other_rows > 0) {
            text += fmt::format("~{}({})", segment.other_rows, segment.stream);
          }
        }
        break;
      case LawStep::Kind::kTruncate:
        text += fmt::format("truncate {} to {}", step.sequence, step.positions);
        break;
      case LawStep::Kind::kFork:
        text += fmt::format("fork {} from {} at {}", step.sequence, step.from, step.positions);
        break;
      case LawStep::Kind::kDrop:
        text += fmt::format("drop {}", step.sequence);
        break;
    }
    text += '\n';
  }
  return text;
}

}  // namespace invar
