// Printing and reading of schedules (law_schedule_text.h).
#include "engine/law_schedule_text.h"

#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <optional>

#include "core/error.h"
#include "engine/law_tracker.h"

namespace invar {
namespace {

using Kind = LawStep::Kind;

// The steps but for a pass: a word, then numbers between words.
struct StepForm {
  Kind kind;
  std::string_view word;
  std::string_view before_second;  // empty: one number only
  std::string_view before_third;
};

constexpr std::array kForms = {
    StepForm{Kind::kAccept, "accept", "to", ""},
    StepForm{Kind::kTruncate, "truncate", "to", ""},
    StepForm{Kind::kFork, "fork", "from", "at"},
    StepForm{Kind::kSnapshot, "snapshot", "of", "at"},
    StepForm{Kind::kResume, "resume", "from", ""},
    StepForm{Kind::kEvict, "evict", "in", ""},
    StepForm{Kind::kDrop, "drop", "", ""},
    StepForm{Kind::kForget, "forget", "", ""},
};

std::string describe(const LawSegment& segment) {
  std::string text = fmt::format(" {}", segment.sequence);
  if (segment.prompt_rows > 0) {
    text += fmt::format("+{}", segment.prompt_rows);
  }
  if (segment.other_rows > 0) {
    text += fmt::format("~{}({})", segment.other_rows, segment.stream);
  }
  text += segment.waits ? "?" : "";
  if (!segment.captures.empty()) {
    text += fmt::format("@{}", fmt::join(segment.captures, ","));
  }
  return text;
}

// The numbers of a step in the order of its form.
std::array<int64_t, 3> numbers_of(const LawStep& step) {
  switch (step.kind) {
    case Kind::kFork:
      return {step.sequence, step.from, step.positions};
    case Kind::kSnapshot:
      return {step.snapshot, step.sequence, step.positions};
    case Kind::kResume:
      return {step.sequence, step.snapshot, 0};
    case Kind::kEvict:
      return {step.sequence, step.rows, 0};
    case Kind::kForget:
      return {step.snapshot, 0, 0};
    default:
      return {step.sequence, step.positions, 0};
  }
}

LawStep step_of(Kind kind, const std::array<int64_t, 3>& numbers) {
  const auto name = [&](int i) { return static_cast<int>(numbers[i]); };
  switch (kind) {
    case Kind::kFork:
      return {.kind = kind, .sequence = name(0), .from = name(1), .positions = numbers[2]};
    case Kind::kSnapshot:
      return {.kind = kind, .sequence = name(1), .snapshot = name(0), .positions = numbers[2]};
    case Kind::kResume:
      return {.kind = kind, .sequence = name(0), .snapshot = name(1)};
    case Kind::kEvict:
      return {.kind = kind, .sequence = name(0), .rows = numbers[1]};
    case Kind::kForget:
      return {.kind = kind, .snapshot = name(0)};
    default:
      return {.kind = kind, .sequence = name(0), .positions = numbers[1]};
  }
}

// Reads a line from the left; a take that does not match leaves it as it is.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : left_(line) {}

  bool at_end() const { return left_.empty(); }
  bool take(std::string_view text) {
    const bool matches = left_.starts_with(text);
    left_.remove_prefix(matches ? text.size() : 0);
    return matches;
  }
  // Positions and names are 32-bit numbers.
  std::optional<int64_t> take_number() {
    int32_t number = 0;
    const char* end = left_.data() + left_.size();
    const auto [next, error] = std::from_chars(left_.data(), end, number);
    if (error != std::errc() || number < 0) {
      return std::nullopt;
    }
    left_.remove_prefix(static_cast<size_t>(next - left_.data()));
    return number;
  }

 private:
  std::string_view left_;
};

std::optional<LawSegment> read_segment(LineReader& line) {
  LawSegment segment;
  const auto number = [&](int64_t& target) {
    const std::optional<int64_t> value = line.take_number();
    target = value.value_or(0);
    return value.has_value();
  };
  int64_t sequence = 0;
  int64_t stream = 0;
  bool whole = number(sequence);
  if (whole && line.take("+")) {
    whole = number(segment.prompt_rows);
  }
  if (whole && line.take("~")) {
    whole = number(segment.other_rows) && line.take("(") && number(stream) && line.take(")");
  }
  segment.sequence = static_cast<int>(sequence);
  segment.stream = static_cast<int>(stream);
  segment.waits = line.take("?");
  for (bool more = whole && line.take("@"); more; more = whole && line.take(",")) {
    whole = number(segment.captures.emplace_back());
  }
  return whole ? std::optional(segment) : std::nullopt;
}

std::optional<LawStep> read_step(LineReader& line) {
  if (line.take("pass")) {
    LawStep pass{.kind = Kind::kPass};
    while (line.take(" ")) {
      const std::optional<LawSegment> segment = read_segment(line);
      if (!segment) {
        return std::nullopt;
      }
      pass.segments.push_back(*segment);
    }
    return pass;
  }
  for (const StepForm& form : kForms) {
    if (!line.take(form.word)) {
      continue;
    }
    std::array<int64_t, 3> numbers{};
    const std::array<std::string_view, 3> words = {"", form.before_second, form.before_third};
    for (size_t i = 0; i < words.size() && (i == 0 || !words[i].empty()); ++i) {
      const bool spelled = line.take(" ") && (i == 0 || (line.take(words[i]) && line.take(" ")));
      const std::optional<int64_t> number = spelled ? line.take_number() : std::nullopt;
      if (!number) {
        return std::nullopt;
      }
      numbers[i] = *number;
    }
    return step_of(form.kind, numbers);
  }
  return std::nullopt;
}

}  // namespace

std::string describe(const LawStep& step) {
  if (step.kind == Kind::kPass) {
    std::string text = "pass";
    for (const LawSegment& segment : step.segments) {
      text += describe(segment);
    }
    return text;
  }
  std::string text;
  const std::array<int64_t, 3> numbers = numbers_of(step);
  for (const StepForm& form : kForms) {
    if (form.kind == step.kind) {
      text = fmt::format("{} {}", form.word, numbers[0]);
      text +=
          form.before_second.empty() ? "" : fmt::format(" {} {}", form.before_second, numbers[1]);
      text += form.before_third.empty() ? "" : fmt::format(" {} {}", form.before_third, numbers[2]);
    }
  }
  return text;
}

std::string describe(const LawSchedule& schedule) {
  std::string text;
  for (const LawStep& step : schedule.steps) {
    text += describe(step) + "\n";
  }
  return text;
}

LawSchedule parse_law_schedule(std::string_view text, const LawShape& shape) {
  LawSchedule schedule;
  LawTracker tracker(shape);
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), whole.size() + 1));
    if (whole.empty()) {
      continue;
    }
    LineReader line(whole);
    const std::optional<LawStep> step = read_step(line);
    if (!step || !line.at_end()) {
      fail(Code::kBadArgument,
           "schedule line {}: expected pass, accept, truncate, fork, snapshot, resume, evict, drop "
           "or forget in the form that law prints, found '{}'",
           number, whole);
    }
    const std::optional<LawStep> possible = tracker.fitted(*step);
    if (possible != step) {
      fail(Code::kBadArgument,
           "schedule line {}: expected a step that is possible here{}, found '{}'", number,
           possible ? fmt::format(", as '{}'", describe(*possible)) : "", whole);
    }
    tracker.apply(*step);
    schedule.steps.push_back(*step);
  }
  if (schedule.steps.empty()) {
    fail(Code::kBadArgument, "schedule: expected at least one step, found none");
  }
  return schedule;
}

}  // namespace invar
