// How fast this machine reads memory: the ceiling of decoding, which every rate is compared with.
#pragma once

#include "core/thread_team.h"

namespace invar::cpu {

// Bytes per second of plain loads over memory far larger than the caches, by all lanes of the team
// together; the best of a few sweeps. Takes about half a second and `kReadBandwidthBytes` of
// memory.
double measure_read_bandwidth(ThreadTeam& team);

inline constexpr size_t kReadBandwidthBytes = size_t{512} << 20;

}  // namespace invar::cpu
