// How a request wants its tokens to be chosen. What each number does, and in which order, is
// defined in docs/numerics.md ("Sampling").
#pragma once

#include <cstdint>
#include <vector>

namespace invar {

struct LogitBias {
  int32_t token_id = 0;
  float bias = 0;  // added to the token's logit; the biases of a repeated id add up
};

struct SamplingParams {
  float temperature = 1;         // 0: the token with the highest logit
  int32_t top_k = 0;             // 0: off
  float top_p = 1;               // in (0, 1]; 1: off
  float min_p = 0;               // in [0, 1]; 0: off
  float repetition_penalty = 1;  // above 0; for tokens of the prompt and the answer; 1: off
  float presence_penalty = 0;    // for tokens of the answer; 0: off
  float frequency_penalty = 0;   // for tokens of the answer, times their count; 0: off
  std::vector<LogitBias> logit_bias = {};
  uint64_t seed = 0;
  bool logprobs = false;     // report the chosen token's log probability
  int32_t top_logprobs = 0;  // and those of the most probable tokens; needs `logprobs`
};

inline constexpr int32_t kTopLogprobsMax = 100;

// Throws kBadArgument with the field, the range and what was found.
void validate(const SamplingParams& params, int64_t vocabulary);

}  // namespace invar
