// Log probabilities of a row of logits, in an order of operations that docs/numerics.md fixes.
#pragma once

#include <cstdint>
#include <span>

namespace invar {

// logprob(id) = (logits[id] - highest) - log(sum of e^(logits - highest)); the sum is exact over
// terms in units of 2^-40 (engine/probability.h). A view of the logits, at least one of which is
// finite.
class LogSoftmax {
 public:
  explicit LogSoftmax(std::span<const float> logits);
  float logprob(int32_t token_id) const;

 private:
  std::span<const float> logits_;
  float highest_ = 0;
  float log_sum_ = 0;
};

}  // namespace invar
