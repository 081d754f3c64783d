// Which tokens a sequence holds, as penalties see it.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "engine/sampling_params.h"

namespace invar {

// How often a token occurs in the answer; tokens of the prompt are listed with 0.
class TokenHistory {
 public:
  void add_prompt(std::span<const int32_t> token_ids) {
    for (const int32_t id : token_ids) {
      counts_.try_emplace(id, 0);
    }
  }
  void add_generated(int32_t token_id) { counts_[token_id] += 1; }

  // Read in any order: every token's penalty is its own.
  const std::unordered_map<int32_t, int32_t>& generated_counts() const { return counts_; }

 private:
  std::unordered_map<int32_t, int32_t> counts_;
};

// Whether the parameters look at the history at all; where they do not, none need be kept.
inline bool uses_history(const SamplingParams& params) {
  return params.repetition_penalty != 1 || params.presence_penalty != 0 ||
         params.frequency_penalty != 0;
}

}  // namespace invar
