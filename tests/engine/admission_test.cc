// What a request is refused for, and what it is promised.
#include "engine/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace invar {
namespace {

constexpr AdmissionRules kRules = {.vocabulary = 50,
                                   .context_positions = 300,
                                   .units = StateCounts::of({.kv_blocks = 4}),
                                   .sequences_max = 3};

Request request_of(int64_t prompt, int64_t max_tokens, int32_t choices = 1) {
  return {.prompt = std::vector<int32_t>(static_cast<size_t>(prompt), 1),
          .max_tokens = max_tokens,
          .choices = choices};
}

void expect_refused(const Request& request, const std::string& text,
                    const AdmissionRules& rules = kRules) {
  try {
    static_cast<void>(plan_request(rules, request));
    ADD_FAILURE() << "accepted: " << text;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kBadArgument);
    EXPECT_THAT(error.what(), testing::HasSubstr(text));
  }
}

TEST(Admission, PromisesWhatPromptAndAnswerNeed) {
  const RequestPlan plan = plan_request(kRules, request_of(60, 5));
  EXPECT_EQ(plan.length_max, 65);
  EXPECT_EQ(plan.units(1)[StateUnit::kKvBlock], 2);
  EXPECT_EQ(plan_request(kRules, request_of(60, 4)).units(1)[StateUnit::kKvBlock], 1);
}

TEST(Admission, ChoicesShareTheFullKvBlocksOfThePrompt) {
  const RequestPlan plan = plan_request(kRules, request_of(70, 20, 3));
  EXPECT_EQ(plan.length_max, 90);
  EXPECT_EQ(plan.shared[StateUnit::kKvBlock], 1);
  EXPECT_EQ(plan.each[StateUnit::kKvBlock], 1);
  EXPECT_EQ(plan.units(3)[StateUnit::kKvBlock], 4);
  // A prompt that ends at a border shares everything.
  EXPECT_EQ(plan_request(kRules, request_of(64, 64, 2)).units(2)[StateUnit::kKvBlock], 3);
}

TEST(Admission, ClipsTheAnswerToThePoolAndToTheContext) {
  EXPECT_EQ(plan_request(kRules, request_of(10, 1000)).length_max, 256);
  EXPECT_EQ(plan_request(kRules, request_of(10, INT64_MAX)).length_max, 256);
  EXPECT_EQ(plan_request(kRules, request_of(70, 1000, 2)).length_max, 128);
  AdmissionRules large = kRules;
  large.units[StateUnit::kKvBlock] = 100;
  EXPECT_EQ(plan_request(large, request_of(10, 1000)).length_max, 300);
  EXPECT_EQ(plan_request(large, request_of(299, 1000)).length_max, 300);
}

TEST(Admission, TellsTheLongestPrompt) {
  for (const int64_t choices : {1, 2, 3}) {
    const int64_t longest = prompt_tokens_max(kRules, choices);
    EXPECT_EQ(longest, 4 * 64 - 1 - (choices - 1) * 64);
    static_cast<void>(plan_request(kRules, request_of(longest, 1, static_cast<int32_t>(choices))));
    expect_refused(request_of(longest + 1, 1, static_cast<int32_t>(choices)), "kv_blocks");
  }
  AdmissionRules rules = kRules;
  EXPECT_EQ(prompt_tokens_max(rules, 5), 0);
  rules.context_positions = 100;
  EXPECT_EQ(prompt_tokens_max(rules, 1), 99);
}

TEST(Admission, CountsOnlyStateThatTheModelHas) {
  AdmissionRules rules = kRules;
  rules.units = StateCounts::of({.state_pages = 3, .row_blocks = 3});
  rules.has_paged_state = false;
  rules.has_recurrent_state = true;
  const RequestPlan plan = plan_request(rules, request_of(250, 1000));
  EXPECT_EQ(prompt_tokens_max(rules, 2), 299);
  EXPECT_EQ(plan.length_max, 300);
  EXPECT_EQ(plan.units(1), StateCounts::of({.state_pages = 3, .row_blocks = 3}));
  expect_refused(request_of(250, 10, 2), "2 answers need 6 state_pages, the pool has 3", rules);
}

TEST(Admission, PromisesRecurrentStateByTheLengthThatIsReached) {
  AdmissionRules rules = kRules;
  rules.units = StateCounts::of({.kv_blocks = 100, .state_pages = 5, .row_blocks = 6});
  rules.has_recurrent_state = true;
  EXPECT_EQ(plan_request(rules, request_of(10, 20)).units(1),
            StateCounts::of({.kv_blocks = 1, .row_blocks = 1}));
  EXPECT_EQ(plan_request(rules, request_of(70, 20, 2)).units(2),
            StateCounts::of({.kv_blocks = 3, .state_pages = 2, .row_blocks = 4}));
  EXPECT_EQ(plan_request(rules, request_of(10, 1000)).units(1),
            StateCounts::of({.kv_blocks = 5, .state_pages = 3, .row_blocks = 3}));
  expect_refused(request_of(10, 1000, 2), "choices: 2 answers need 6 state_pages, the pool has 5",
                 rules);
  rules.units[StateUnit::kStatePage] = 6;
  rules.units[StateUnit::kRowBlock] = 5;
  expect_refused(request_of(10, 1000, 2), "choices: 2 answers need 6 row_blocks, the pool has 5",
                 rules);
}

TEST(Admission, RefusesWhatCouldNeverFit) {
  expect_refused(request_of(300, 1),
                 "300 tokens and 1 of the answer do not fit in a context of 300");
  expect_refused(request_of(256, 1),
                 "256 tokens with 1 answer(s) need 5 kv_blocks, the pool has 4");
  expect_refused(request_of(130, 1, 3), "130 tokens with 3 answer(s) need 5 kv_blocks");
  expect_refused(request_of(5, 1, 4), "choices: expected 1 to 3, found 4");
}

TEST(Admission, RefusesWhatMakesNoSense) {
  expect_refused(request_of(0, 1), "prompt: expected at least 1 token");
  expect_refused(request_of(5, -1), "max_tokens: expected at least 0, found -1");
  expect_refused(request_of(5, 1, 0), "choices: expected 1 to 3, found 0");
  Request request = request_of(5, 1);
  request.prompt[3] = 50;
  expect_refused(request, "prompt: token id: expected 0 to 49, found 50");
  request.prompt[3] = -1;
  expect_refused(request, "found -1");
  request = request_of(5, 1);
  request.prompt_logprobs = true;
  expect_refused(request, "prompt_logprobs: expected only with logprobs");
  request = request_of(5, 1);
  request.sampling.top_p = 2;
  expect_refused(request, "top_p");
}

}  // namespace
}  // namespace invar
