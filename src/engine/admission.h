// Whether a request can ever run, and what it then may use. A pure function of the request and the
// engine's fixed sizes, so a client is told at once.
#pragma once

#include <cstdint>

#include "engine/request.h"

namespace invar {

// Fixed at start.
struct AdmissionRules {
  int64_t vocabulary = 0;
  int64_t context_positions = 0;
  int64_t kv_blocks = 0;      // of the pool
  int64_t sequences_max = 0;  // that run at the same time
};

// What an admitted request is promised. Its sequences never hold more kv_blocks than
// `kv_blocks_shared` together and `kv_blocks_each`.
struct RequestPlan {
  int64_t length_max = 0;        // tokens of prompt and answer
  int64_t kv_blocks_shared = 0;  // full kv_blocks of the prompt, where several choices share it
  int64_t kv_blocks_each = 0;    // of each choice besides

  int64_t kv_blocks(int64_t choices) const { return kv_blocks_shared + choices * kv_blocks_each; }
};

// Throws kBadArgument, with the numbers, for a request that could never run or makes no sense.
RequestPlan plan_request(const AdmissionRules& rules, const Request& request);

}  // namespace invar
