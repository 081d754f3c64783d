// Philox4x32-10, a counter-based generator: four words that are a pure function of counter and key.
// There is no state, so a draw does not depend on how many were made before.
#pragma once

#include <array>
#include <cstdint>

namespace invar {

using PhiloxCounter = std::array<uint32_t, 4>;
using PhiloxKey = std::array<uint32_t, 2>;

// Inline, because a draw over a vocabulary calls it for every fourth token.
inline PhiloxCounter philox4x32(PhiloxCounter counter, PhiloxKey key) {
  constexpr int kRounds = 10;
  constexpr uint64_t kMultiplier0 = 0xd2511f53u;
  constexpr uint64_t kMultiplier1 = 0xcd9e8d57u;
  constexpr uint32_t kWeyl0 = 0x9e3779b9u;
  constexpr uint32_t kWeyl1 = 0xbb67ae85u;
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t product0 = kMultiplier0 * counter[0];
    const uint64_t product1 = kMultiplier1 * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

}  // namespace invar
