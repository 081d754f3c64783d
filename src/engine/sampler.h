// Chooses the next token from a row of logits. The token is a pure function of the logits, the
// parameters, the tokens before, the choice and the position (docs/numerics.md, "Sampling"), and
// its bits do not depend on the machine: no libm, fixed orders.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/sampling_params.h"
#include "engine/token_history.h"
#include "engine/top_tokens.h"

namespace invar {

struct TokenLogprob {
  int32_t token_id = 0;
  float logprob = 0;

  bool operator==(const TokenLogprob&) const = default;
};

struct SampledToken {
  int32_t token_id = 0;
  float logprob = 0;                   // of the unprocessed logits; 0 unless asked for
  std::vector<TokenLogprob> top = {};  // the most probable first; empty unless asked for
};

// The log probabilities that `params` ask for, of a token that stands there already. Empty if the
// highest logit is not a finite number.
[[nodiscard]] std::optional<SampledToken> score_token(std::span<const float> logits,
                                                      int32_t token_id,
                                                      const SamplingParams& params);

// Owns scratch memory of the vocabulary's size; one thread at a time.
class Sampler {
 public:
  struct Args {
    std::span<const float> logits = {};  // by token id
    const SamplingParams* params = nullptr;
    const TokenHistory* history = nullptr;  // may be null where uses_history(params) is false
    int32_t choice = 0;
    int64_t position = 0;  // of the token to be chosen
  };
  // Empty if the highest processed logit is not a finite number: the model's output is broken.
  [[nodiscard]] std::optional<SampledToken> sample(const Args& args);

 private:
  std::span<const float> processed(const Args& args);

  std::vector<float> scratch_;
};

}  // namespace invar
