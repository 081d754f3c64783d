// The noise of sampling: one Gumbel variate for each (seed, choice, position, token id), and
// nothing else. Adding it to the logits and taking the maximum draws a token by its probability,
// and the draw at a position is the same on whatever path the position was reached.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace invar {

// What the noise of one position depends on besides the token id.
struct NoiseKey {
  uint64_t seed = 0;
  int32_t choice = 0;    // which of a request's answers
  int64_t position = 0;  // of the token that is drawn
};

// Consecutive token ids share one evaluation of Philox: word `id % 4` belongs to token `id`.
inline constexpr int32_t kNoiseGroup = 4;

// The random words of token ids [kNoiseGroup * group, + kNoiseGroup).
std::array<uint32_t, kNoiseGroup> noise_words(const NoiseKey& key, int32_t group);

// The word of one token.
uint32_t noise_word(const NoiseKey& key, int32_t token_id);

// The Gumbel variate of a random word: -log(-log u), between -3.2 and 22.9.
float gumbel(uint32_t word);

// At least gumbel(word), for the price of an addition: lets a draw pass over hopeless tokens. With
// v = (word + 1/2) / 2^32 the variate is -log(-log(1 - v)) <= -log(v), and v >= 2^-(zeros + 1).
inline float gumbel_bound(uint32_t word) {
  constexpr float kLn2Above = 0.6932f;
  constexpr float kRoundingAbove = 0.001f;  // errors of the logarithms: below 1e-5
  return static_cast<float>(std::countl_zero(word) + 1) * kLn2Above + kRoundingAbove;
}
// At least every variate.
inline constexpr float kGumbelMax = 23.0f;

}  // namespace invar
