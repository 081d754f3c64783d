// Seeded mutations of a good input, so that fuzz targets see malformed input in every build, also
// without libFuzzer. The same seed gives the same mutation everywhere.
#pragma once

#include <cstdint>
#include <vector>

namespace invar {

// One to four changes: bits, bytes and little-endian numbers overwritten with values at the edges,
// parts removed, doubled, moved in or cut off. The result is at most a little longer than `input`.
std::vector<uint8_t> mutated(const std::vector<uint8_t>& input, uint64_t seed);

}  // namespace invar
