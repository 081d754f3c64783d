// Makes a failing schedule small: drops steps and segments, joins passes, shortens pieces, as long
// as what is left still fails.
#pragma once

#include <cstdint>
#include <functional>

#include "engine/law_schedule.h"

namespace invar {

struct ShrunkLawSchedule {
  LawSchedule schedule;
  int64_t runs = 0;  // of `fails`
};

// `schedule` must fail, and each of its steps must be possible. `fails` is called with schedules of
// which that holds too, `runs_max` times at most. Deterministic if `fails` is.
ShrunkLawSchedule shrink_law_schedule(LawSchedule schedule, const LawShape& shape,
                                      const std::function<bool(const LawSchedule&)>& fails,
                                      int64_t runs_max);

}  // namespace invar
