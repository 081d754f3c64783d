// Checks of a request and its share of the pool (admission.h).
#include "engine/admission.h"

#include <algorithm>

#include "cache/kv_block_table.h"
#include "core/error.h"

namespace invar {
namespace {

void check_fields(const AdmissionRules& rules, const Request& request) {
  validate(request.sampling, rules.vocabulary);
  if (request.prompt.empty()) {
    fail(Code::kBadArgument, "prompt: expected at least 1 token, found none");
  }
  for (const int32_t id : request.prompt) {
    if (id < 0 || id >= rules.vocabulary) {
      fail(Code::kBadArgument, "prompt: token id: expected 0 to {}, found {}", rules.vocabulary - 1,
           id);
    }
  }
  if (request.max_tokens < 1) {
    fail(Code::kBadArgument, "max_tokens: expected at least 1, found {}", request.max_tokens);
  }
  if (request.choices < 1 || request.choices > rules.sequences_max) {
    fail(Code::kBadArgument, "choices: expected 1 to {}, found {}", rules.sequences_max,
         request.choices);
  }
}

}  // namespace

RequestPlan plan_request(const AdmissionRules& rules, const Request& request) {
  check_fields(rules, request);
  const auto prompt = static_cast<int64_t>(request.prompt.size());
  if (prompt + 1 > rules.context_positions) {
    fail(Code::kBadArgument, "prompt: {} tokens and 1 of the answer do not fit in a context of {}",
         prompt, rules.context_positions);
  }
  const int64_t choices = request.choices;
  RequestPlan plan;
  plan.kv_blocks_shared = choices > 1 ? prompt / kKvBlockRows : 0;
  plan.kv_blocks_each = kv_blocks_for(prompt + 1) - plan.kv_blocks_shared;
  if (plan.kv_blocks(choices) > rules.kv_blocks) {
    fail(Code::kBadArgument,
         "prompt: {} tokens with {} answer(s) need {} kv_blocks, the pool has {}", prompt, choices,
         plan.kv_blocks(choices), rules.kv_blocks);
  }
  const int64_t each_max = (rules.kv_blocks - plan.kv_blocks_shared) / choices;
  plan.length_max =
      std::min({prompt + std::min(request.max_tokens, rules.context_positions),
                rules.context_positions, (plan.kv_blocks_shared + each_max) * kKvBlockRows});
  plan.kv_blocks_each = kv_blocks_for(plan.length_max) - plan.kv_blocks_shared;
  return plan;
}

}  // namespace invar
