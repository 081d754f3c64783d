// Checks of sampling parameters, which come from clients (sampling_params.h).
#include "engine/sampling_params.h"

#include <cmath>
#include <string_view>

#include "core/error.h"

namespace invar {
namespace {

void expect(bool condition, std::string_view field, std::string_view range, double found) {
  if (!condition) {
    fail(Code::kBadArgument, "{}: expected {}, found {}", field, range, found);
  }
}

}  // namespace

void validate(const SamplingParams& params, int64_t vocabulary) {
  expect(std::isfinite(params.temperature) && params.temperature >= 0, "temperature", "at least 0",
         params.temperature);
  expect(params.top_k >= 0, "top_k", "at least 0", params.top_k);
  expect(params.top_p > 0 && params.top_p <= 1, "top_p", "above 0 and at most 1", params.top_p);
  expect(params.min_p >= 0 && params.min_p <= 1, "min_p", "0 to 1", params.min_p);
  expect(std::isfinite(params.repetition_penalty) && params.repetition_penalty > 0,
         "repetition_penalty", "above 0", params.repetition_penalty);
  expect(std::isfinite(params.presence_penalty), "presence_penalty", "a finite number",
         params.presence_penalty);
  expect(std::isfinite(params.frequency_penalty), "frequency_penalty", "a finite number",
         params.frequency_penalty);
  expect(params.top_logprobs >= 0 && params.top_logprobs <= kTopLogprobsMax, "top_logprobs",
         fmt::format("0 to {}", kTopLogprobsMax), params.top_logprobs);
  expect(params.logprobs || params.top_logprobs == 0, "top_logprobs", "0 without logprobs",
         params.top_logprobs);
  for (const LogitBias& entry : params.logit_bias) {
    expect(entry.token_id >= 0 && entry.token_id < vocabulary, "logit_bias: token id",
           fmt::format("0 to {}", vocabulary - 1), entry.token_id);
    expect(std::isfinite(entry.bias), "logit_bias", "a finite number", entry.bias);
  }
}

}  // namespace invar
