// Checks of a request and its share of the pool (admission.h).
#include "engine/admission.h"

#include <algorithm>

#include "cache/sequence_state.h"
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
  if (request.max_tokens < 0) {
    fail(Code::kBadArgument, "max_tokens: expected at least 0, found {}", request.max_tokens);
  }
  if (request.prompt_logprobs && !request.sampling.logprobs) {
    fail(Code::kBadArgument, "prompt_logprobs: expected only with logprobs");
  }
  if (request.choices < 1 || request.choices > rules.sequences_max) {
    fail(Code::kBadArgument, "choices: expected 1 to {}, found {}", rules.sequences_max,
         request.choices);
  }
}

}  // namespace

int64_t prompt_tokens_max(const AdmissionRules& rules, int64_t choices) {
  if (!rules.has_paged_state) {
    return std::max<int64_t>(0, rules.context_positions - 1);
  }
  // The full kv_blocks of the prompt are shared, and each answer has one more: with the prompt's
  // last rows and at least one of its own.
  const int64_t shared_max = rules.units[StateUnit::kKvBlock] - choices;
  return std::max<int64_t>(0,
                           std::min(rules.context_positions, (shared_max + 1) * kKvBlockRows) - 1);
}

RequestPlan plan_request(const AdmissionRules& rules, const Request& request) {
  check_fields(rules, request);
  const auto prompt = static_cast<int64_t>(request.prompt.size());
  if (prompt + 1 > rules.context_positions) {
    fail(Code::kBadArgument, "prompt: {} tokens and 1 of the answer do not fit in a context of {}",
         prompt, rules.context_positions);
  }
  const int64_t choices = request.choices;
  RequestPlan plan;
  plan.length_max = std::min(prompt + std::min(request.max_tokens, rules.context_positions),
                             rules.context_positions);
  if (rules.has_paged_state) {
    const int64_t kv_blocks = rules.units[StateUnit::kKvBlock];
    const int64_t shared = choices > 1 ? prompt / kKvBlockRows : 0;
    const int64_t needed = shared + choices * (kv_blocks_for(prompt + 1) - shared);
    if (needed > kv_blocks) {
      fail(Code::kBadArgument,
           "prompt: {} tokens with {} answer(s) need {} kv_blocks, the pool has {}", prompt,
           choices, needed, kv_blocks);
    }
    plan.length_max =
        std::min(plan.length_max, (shared + (kv_blocks - shared) / choices) * kKvBlockRows);
    plan.each[StateUnit::kKvBlock] = kv_blocks_for(plan.length_max) - shared;
    plan.shared[StateUnit::kKvBlock] = shared;
  }
  if (rules.has_recurrent_state) {
    plan.each += recurrent_units_max(plan.length_max);
  }
  for (const StateUnit unit : kStateUnits) {
    if (plan.units(choices)[unit] > rules.units[unit]) {
      fail(Code::kBadArgument, "choices: {} answers need {} {}s, the pool has {}", choices,
           plan.units(choices)[unit], name_of(unit), rules.units[unit]);
    }
  }
  return plan;
}

}  // namespace invar
