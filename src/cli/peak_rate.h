// How fast this machine computes with this program's own kernels: the ceiling of prefill.
#pragma once

#include "backend/backend.h"
#include "core/thread_team.h"
#include "kernels/weight_format.h"

namespace invar {

// Multiplications and additions per second of a matrix product whose operands stay in each lane's
// caches, by all lanes of the team together; the best of a few sweeps. Takes a fraction of a
// second.
double measure_peak_rate(const Backend& backend, ThreadTeam& team, WeightFormat format);

}  // namespace invar
