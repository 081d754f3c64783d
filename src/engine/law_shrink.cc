// Greedy reduction (law_shrink.h): every change that still fails and is smaller is kept, until none
// is left.
#include "engine/law_shrink.h"

#include <algorithm>
#include <tuple>

#include "engine/law_tracker.h"

namespace invar {
namespace {

// What "smaller" means, most important first.
std::tuple<int64_t, int64_t, int64_t, int64_t> size_of(const LawSchedule& schedule) {
  int64_t segments = 0;
  int64_t rows = 0;
  int64_t details = 0;
  for (const LawStep& step : schedule.steps) {
    segments += std::ssize(step.segments);
    details += step.positions + step.rows;
    for (const LawSegment& segment : step.segments) {
      rows += segment.rows();
      details += segment.other_rows + (segment.waits ? 1 : 0) + std::ssize(segment.captures);
    }
  }
  return {std::ssize(schedule.steps), segments, rows, details};
}

class Shrinker {
 public:
  Shrinker(LawSchedule schedule, const LawShape& shape,
           const std::function<bool(const LawSchedule&)>& fails, int64_t runs_max)
      : best_{.schedule = std::move(schedule)}, shape_(shape), fails_(fails), runs_max_(runs_max) {}

  ShrunkLawSchedule run() {
    bool smaller = true;
    while (smaller) {
      smaller = false;
      smaller |= drop_steps();
      smaller |= drop_branches();
      smaller |= drop_segments();
      smaller |= join_passes();
      smaller |= reduce_numbers();
    }
    return std::move(best_);
  }

 private:
  const std::vector<LawStep>& steps() const { return best_.schedule.steps; }

  // Takes the candidate if it is smaller, once it is made possible, and fails.
  bool take(const LawSchedule& changed) {
    const LawSchedule candidate = fitted(changed, shape_);
    if (best_.runs >= runs_max_ || !(size_of(candidate) < size_of(best_.schedule))) {
      return false;
    }
    best_.runs += 1;
    if (!fails_(candidate)) {
      return false;
    }
    best_.schedule = candidate;
    return true;
  }

  bool drop_steps() {
    bool any = false;
    for (int64_t count = std::ssize(steps()); count > 0; count /= 2) {
      // From the end: nothing depends on the last steps.
      for (int64_t begin = std::ssize(steps()) - count; begin >= 0;) {
        LawSchedule without = best_.schedule;
        without.steps.erase(without.steps.begin() + begin, without.steps.begin() + begin + count);
        any |= take(without);
        begin = std::min(begin - 1, std::ssize(steps()) - count);
      }
    }
    return any;
  }

  // What a fork or a resumed snapshot would do, its origin does.
  bool drop_branches() {
    bool any = false;
    for (int64_t place = std::ssize(steps()); place-- > 0;) {
      if (place >= std::ssize(steps())) {
        continue;
      }
      LawSchedule without = best_.schedule;
      const LawStep step = without.steps[place];
      const int origin = origin_of(without, place);
      if (origin < 0) {
        continue;
      }
      without.steps.erase(without.steps.begin() + place);
      for (int64_t later = place; later < std::ssize(without.steps); ++later) {
        rename(without.steps[later], step.sequence, origin);
      }
      any |= take(without);
    }
    return any;
  }

  // The sequence that a fork or resume at this place goes back to; -1 for other steps.
  static int origin_of(const LawSchedule& schedule, int64_t place) {
    const LawStep& step = schedule.steps[place];
    if (step.kind != LawStep::Kind::kResume) {
      return step.kind == LawStep::Kind::kFork ? step.from : -1;
    }
    int origin = -1;
    for (int64_t earlier = 0; earlier < place; ++earlier) {
      const LawStep& taken = schedule.steps[earlier];
      if (taken.kind == LawStep::Kind::kSnapshot && taken.snapshot == step.snapshot) {
        origin = taken.sequence;
      }
    }
    return origin;
  }

  static void rename(LawStep& step, int sequence, int to) {
    step.sequence = step.sequence == sequence ? to : step.sequence;
    step.from = step.from == sequence ? to : step.from;
    for (LawSegment& segment : step.segments) {
      segment.sequence = segment.sequence == sequence ? to : segment.sequence;
    }
  }

  bool drop_segments() {
    bool any = false;
    for (size_t step = steps().size(); step-- > 0;) {
      for (size_t i = step < steps().size() ? steps()[step].segments.size() : 0; i-- > 0;) {
        LawSchedule without = best_.schedule;
        std::vector<LawSegment>& segments = without.steps[step].segments;
        if (segments.size() > 1 && i < segments.size()) {
          segments.erase(segments.begin() + static_cast<int64_t>(i));
          any |= take(without);
        }
      }
    }
    return any;
  }

  // Two passes after each other become one: one sequence's rows add up, and wait as those of the
  // first pass do, or of the second.
  bool join_passes() {
    bool any = false;
    for (size_t step = 0; step + 1 < steps().size();) {
      const bool both = steps()[step].kind == LawStep::Kind::kPass &&
                        steps()[step + 1].kind == LawStep::Kind::kPass;
      const bool taken = both && (take(joined(step, false)) || take(joined(step, true)));
      any |= taken;
      step += taken ? 0 : 1;
    }
    return any;
  }

  LawSchedule joined(size_t step, bool as_second) const {
    LawSchedule joined = best_.schedule;
    std::vector<LawSegment>& into = joined.steps[step].segments;
    for (const LawSegment& segment : joined.steps[step + 1].segments) {
      const auto same = std::find_if(into.begin(), into.end(), [&](const LawSegment& s) {
        return s.sequence == segment.sequence;
      });
      if (same == into.end()) {
        into.push_back(segment);
      } else {
        same->prompt_rows += segment.prompt_rows;
        same->other_rows += segment.other_rows;
        same->stream = std::max(same->stream, segment.stream);
        same->waits = as_second ? segment.waits : same->waits;
      }
    }
    joined.steps.erase(joined.steps.begin() + static_cast<int64_t>(step) + 1);
    return joined;
  }

  // Lowers the number that `number_of` finds in a schedule by ever smaller amounts, and with it
  // the positions of the steps from `later` on.
  template <class NumberOf>
  bool reduce(NumberOf number_of, int64_t later = INT64_MAX) {
    bool any = false;
    for (int64_t amount = number_of(best_.schedule); amount > 0;) {
      LawSchedule lowered = best_.schedule;
      number_of(lowered) -= amount;
      for (int64_t place = later; place < std::ssize(lowered.steps); ++place) {
        lowered.steps[place].positions =
            std::max<int64_t>(0, lowered.steps[place].positions - amount);
      }
      const size_t step_count = steps().size();
      const bool taken = take(lowered);
      any |= taken;
      if (steps().size() != step_count) {
        break;  // the places have moved
      }
      amount = taken ? std::min(amount, number_of(best_.schedule)) : amount / 2;
    }
    return any;
  }

  bool reduce_segment(size_t step, size_t i) {
    const auto segment = [&](LawSchedule& schedule) -> LawSegment* {
      const bool there = step < schedule.steps.size() && i < schedule.steps[step].segments.size();
      return there ? &schedule.steps[step].segments[i] : nullptr;
    };
    bool any = false;
    int64_t none = 0;
    const auto try_change = [&](auto change) {
      LawSchedule changed = best_.schedule;
      if (LawSegment* found = segment(changed)) {
        change(*found);
        any |= take(changed);
      }
    };
    try_change([](LawSegment& s) { s.captures.clear(); });
    try_change([](LawSegment& s) { s.waits = false; });
    try_change([](LawSegment& s) { s.prompt_rows += std::exchange(s.other_rows, 0); });
    const auto other_rows = [&](LawSchedule& s) -> int64_t& {
      LawSegment* found = segment(s);
      return found == nullptr ? none : found->other_rows;
    };
    const auto prompt_rows = [&](LawSchedule& s) -> int64_t& {
      LawSegment* found = segment(s);
      return found == nullptr ? none : found->prompt_rows;
    };
    for (const int64_t later : {INT64_MAX, static_cast<int64_t>(step) + 1}) {
      any |= reduce(other_rows, later);
      any |= reduce(prompt_rows, later);
    }
    return any;
  }

  bool reduce_numbers() {
    bool any = false;
    int64_t none = 0;
    for (size_t step = 0; step < steps().size(); ++step) {
      for (size_t i = 0; step < steps().size() && i < steps()[step].segments.size(); ++i) {
        any |= reduce_segment(step, i);
      }
      any |= reduce([&](LawSchedule& s) -> int64_t& {
        return step < s.steps.size() ? s.steps[step].positions : none;
      });
    }
    return any;
  }

  ShrunkLawSchedule best_;
  const LawShape& shape_;
  const std::function<bool(const LawSchedule&)>& fails_;
  int64_t runs_max_;
};

}  // namespace

ShrunkLawSchedule shrink_law_schedule(LawSchedule schedule, const LawShape& shape,
                                      const std::function<bool(const LawSchedule&)>& fails,
                                      int64_t runs_max) {
  return Shrinker(std::move(schedule), shape, fails, runs_max).run();
}

}  // namespace invar
