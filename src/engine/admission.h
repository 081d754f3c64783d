// Whether a request can ever run, and what it then may use. A pure function of the request and the
// engine's fixed sizes, so a client is told at once.
#pragma once

#include <cstdint>

#include "core/state_unit.h"
#include "engine/request.h"

namespace invar {

// Fixed at start.
struct AdmissionRules {
  int64_t vocabulary = 0;
  int64_t context_positions = 0;
  StateCounts units;  // of the pools
  bool has_paged_state = true;
  bool has_recurrent_state = false;
  int64_t sequences_max = 0;  // that run at the same time
};

// What an admitted request is promised. Its sequences never hold more units than `shared` together
// and `each`.
struct RequestPlan {
  int64_t length_max = 0;  // tokens of prompt and answer
  StateCounts shared;      // full kv_blocks of the prompt, where several choices share it
  StateCounts each;        // of each choice besides

  StateCounts units(int64_t choices) const { return shared + choices * each; }
};

// Tokens of the longest prompt that could ever run with so many answers: those that context and
// pool hold, less one of each answer. 0: none could.
int64_t prompt_tokens_max(const AdmissionRules& rules, int64_t choices);

// Throws kBadArgument, with the numbers, for a request that could never run or makes no sense.
RequestPlan plan_request(const AdmissionRules& rules, const Request& request);

}  // namespace invar
