// Seeded choices for the law's schedules and prompts: the same numbers on every machine, so that a
// printed seed replays a case. Not for sampling tokens.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/digest.h"
#include "core/philox.h"

namespace invar {

class LawRandom {
 public:
  // `purpose` (a case's name) gives each use its own numbers, whichever others run.
  LawRandom(uint64_t seed, std::string_view purpose)
      : key_(seed), purpose_(digest64(purpose.data(), purpose.size())) {}

  uint64_t next() {
    const PhiloxCounter words = philox4x32(
        {low(count_), high(count_), low(purpose_), high(purpose_)}, {low(key_), high(key_)});
    count_ += 1;
    return static_cast<uint64_t>(words[1]) << 32 | words[0];
  }
  // From 0 to count - 1. The bias of the remainder is below 2^-32 for all counts used here.
  int64_t below(int64_t count) {
    return static_cast<int64_t>(next() % static_cast<uint64_t>(count));
  }
  // From 1 to `max`; 0 if `max` is not positive.
  int64_t up_to(int64_t max) { return max <= 0 ? 0 : 1 + below(max); }
  bool chance(int percent) { return below(100) < percent; }

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[static_cast<size_t>(below(static_cast<int64_t>(i)))]);
    }
  }

 private:
  static uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
  static uint32_t high(uint64_t value) { return static_cast<uint32_t>(value >> 32); }

  uint64_t key_;
  uint64_t purpose_;
  uint64_t count_ = 0;
};

// The tokens that a seed's schedules run over; a longer prompt begins with a shorter one.
inline std::vector<int32_t> law_prompt(uint64_t seed, int64_t tokens, int64_t vocabulary) {
  LawRandom random(seed, "prompt");
  std::vector<int32_t> token_ids;
  for (int64_t i = 0; i < tokens; ++i) {
    token_ids.push_back(static_cast<int32_t>(random.below(vocabulary)));
  }
  return token_ids;
}

}  // namespace invar
