// The sum behind log probabilities (log_softmax.h).
#include "engine/log_softmax.h"

#include "core/math.h"
#include "engine/probability.h"
#include "engine/top_tokens.h"

namespace invar {

LogSoftmax::LogSoftmax(std::span<const float> logits)
    : logits_(logits), highest_(highest_token(logits).score) {
  const uint64_t sum = sum_of_probabilities({.scores = logits, .highest = highest_});
  log_sum_ = log_f32(static_cast<float>(sum) / kProbabilityUnit);
}

float LogSoftmax::logprob(int32_t token_id) const {
  return (logits_[token_id] - highest_) - log_sum_;
}

}  // namespace invar
