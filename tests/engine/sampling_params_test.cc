// Every field of sampling parameters is checked, and the message names it.
#include "engine/sampling_params.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/error.h"

namespace invar {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

void expect_refused(const SamplingParams& params, const std::string& text) {
  try {
    validate(params, 100);
    ADD_FAILURE() << "accepted: " << text;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kBadArgument);
    EXPECT_THAT(error.what(), testing::HasSubstr(text));
  }
}

TEST(SamplingParams, TheDefaultsAndTheEdgesAreFine) {
  validate({}, 100);
  validate({.temperature = 0,
            .top_k = 1000,
            .top_p = 1e-9f,
            .min_p = 1,
            .repetition_penalty = 0.5f,
            .presence_penalty = -2,
            .frequency_penalty = 2,
            .logit_bias = {{.token_id = 99, .bias = -100}},
            .logprobs = true,
            .top_logprobs = kTopLogprobsMax},
           100);
}

TEST(SamplingParams, RefusesWhatHasNoMeaning) {
  expect_refused({.temperature = -0.5f}, "temperature: expected at least 0, found -0.5");
  expect_refused({.temperature = kNan}, "temperature");
  expect_refused({.temperature = kInfinity}, "temperature");
  expect_refused({.top_k = -1}, "top_k: expected at least 0, found -1");
  expect_refused({.top_p = 0}, "top_p: expected above 0 and at most 1, found 0");
  expect_refused({.top_p = kNan}, "top_p");
  expect_refused({.min_p = 1.5f}, "min_p: expected 0 to 1, found 1.5");
  expect_refused({.repetition_penalty = 0}, "repetition_penalty: expected above 0");
  expect_refused({.repetition_penalty = kInfinity}, "repetition_penalty");
  expect_refused({.presence_penalty = kNan}, "presence_penalty");
  expect_refused({.frequency_penalty = -kInfinity}, "frequency_penalty");
  expect_refused({.logit_bias = {{.token_id = 100, .bias = 1}}},
                 "logit_bias: token id: expected 0 to 99, found 100");
  expect_refused({.logit_bias = {{.token_id = -1, .bias = 1}}}, "found -1");
  expect_refused({.logit_bias = {{.token_id = 1, .bias = kInfinity}}},
                 "logit_bias: expected a finite");
  expect_refused({.logprobs = true, .top_logprobs = 101}, "top_logprobs: expected 0 to 100");
  expect_refused({.top_logprobs = 3}, "top_logprobs: expected 0 without logprobs, found 3");
}

}  // namespace
}  // namespace invar
