// Schedules as text, one line a step: what `invar law` prints of a schedule that fails, and reads
// to run it again.
//
//   pass 0+64 3~1(2) 5+3~5(7)?@64,128   sequence + prompt rows ~ other rows (of stream), ? if they
//                                       wait, @ boundaries to keep
//   accept 0 to 70            truncate 0 to 130       fork 4 from 0 at 77
//   snapshot 2 of 0 at 64     resume 5 from 2         evict 0 in 17
//   drop 3                    forget 2
#pragma once

#include <string>
#include <string_view>

#include "engine/law_schedule.h"

namespace invar {

std::string describe(const LawStep& step);
std::string describe(const LawSchedule& schedule);

// Inverse of describe; empty lines are left out. Throws kBadArgument, naming the line, for what is
// no step and for steps that are not possible where they stand.
LawSchedule parse_law_schedule(std::string_view text, const LawShape& shape);

}  // namespace invar
