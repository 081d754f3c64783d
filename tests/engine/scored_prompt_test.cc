// Log probabilities of a prompt's tokens: the same however it is cut and whoever is computed with
// it.
#include <gtest/gtest.h>

#include "engine/engine_fixture.h"

namespace invar {
namespace {

class ScoredPromptTest : public EngineTest {};

void expect_scored(std::span<const TokenEvent> events, const Request& request) {
  const std::vector<TokenEvent> expected = solo_scores(request, kVocabulary);
  ASSERT_GE(events.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(events[i].choice, 0);
    EXPECT_EQ(events[i].token_id, expected[i].token_id);
    EXPECT_EQ(events[i].position, expected[i].position);
    EXPECT_EQ(events[i].logprob, expected[i].logprob);
    EXPECT_EQ(events[i].top_logprobs, expected[i].top_logprobs);
    EXPECT_EQ(events[i].finish, FinishReason::kNone);
  }
}

Request scored_request(int64_t prompt, int64_t max_tokens, uint64_t seed = 1) {
  Request request = make_request(prompt, max_tokens, seed);
  request.sampling.logprobs = true;
  request.sampling.top_logprobs = 2;
  request.prompt_logprobs = true;
  return request;
}

TEST_F(ScoredPromptTest, APromptIsScoredInSlices) {
  Engine engine(runner_, {.events_max = 1});
  Request request = scored_request(70, 5);
  request.choices = 3;
  SubmitResult result = engine.submit(request);
  std::map<int32_t, std::vector<TokenEvent>> events;
  int64_t steps = 0;
  while (engine.step()) {
    EXPECT_LE(runner_.tables().shape().logit_rows, 4);
    EXPECT_EQ(engine.check_integrity(), "");
    while (auto event = result.handle->try_next()) {
      events[event->choice].push_back(std::move(*event));
    }
    steps += 1;
  }
  EXPECT_EQ(steps, 18 + 4);  // 70 rows of a prompt, 4 a pass; the first tokens with the last rows
  ASSERT_EQ(events[0].size(), 69u + 5);
  expect_scored(events[0], request);
  events[0].erase(events[0].begin(), events[0].begin() + 69);
  for (int32_t choice = 0; choice < 3; ++choice) {
    expect_answer(events[choice], request, choice);
  }
  EXPECT_EQ(result.handle->end().generated_tokens, 15);
}

TEST_F(ScoredPromptTest, AScoredPromptIsTheSameAmongOthers) {
  Engine engine(runner_, {});
  const Request request = scored_request(30, 1, 5);
  const Request long_scored = scored_request(90, 3, 6);
  const Request plain = make_request(60, 40, 7);
  SubmitResult other = engine.submit(long_scored);
  SubmitResult answering = engine.submit(plain);
  engine.start();
  SubmitResult result = engine.submit(request);
  expect_scored(read_all(*result.handle)[0], request);
  expect_scored(read_all(*other.handle)[0], long_scored);
  expect_answer(read_all(*answering.handle)[0], plain);
}

TEST_F(ScoredPromptTest, AClientThatDoesNotReadPausesTheScoring) {
  Engine engine(runner_, {.events_max = 2});
  const Request request = scored_request(40, 1);
  SubmitResult result = engine.submit(request);
  for (int i = 0; i < 100; ++i) {
    engine.step();
  }
  EXPECT_EQ(engine.stats().rows, 4);
  engine.start();
  const auto events = read_all(*result.handle)[0];
  EXPECT_EQ(events.size(), 40u);
  expect_scored(events, request);
}

TEST_F(ScoredPromptTest, WithoutTokensARequestFinishesWithItsPrompt) {
  Engine engine(runner_, {});
  Request request = scored_request(50, 0);
  request.choices = 2;
  SubmitResult scored = engine.submit(request);
  SubmitResult plain = engine.submit(make_request(50, 0, 2));
  SubmitResult one = engine.submit(scored_request(1, 0));
  while (engine.step()) {
    EXPECT_EQ(engine.check_integrity(), "");
  }
  engine.start();
  const auto events = read_all(*scored.handle)[0];
  EXPECT_EQ(events.size(), 49u);
  expect_scored(events, request);
  for (SubmitResult* other : {&plain, &one}) {
    EXPECT_TRUE(read_all(*other->handle).empty());
    EXPECT_EQ(other->handle->end().outcome, RequestOutcome::kFinished);
  }
  EXPECT_EQ(engine.stats().requests_finished, 3);
  EXPECT_EQ(engine.stats().generated_tokens, 0);
  EXPECT_EQ(engine.stats().kv_blocks_held, 0);
  EXPECT_EQ(engine.stats().sequences_running, 0);
}

TEST_F(ScoredPromptTest, LogitsThatAreNoNumbersFailAScoredPrompt) {
  Engine engine(runner_, {});
  const Request request = scored_request(30, 5);
  runner_.broken_after = request.prompt[6];
  SubmitResult result = engine.submit(request);
  while (engine.step()) {
    EXPECT_EQ(engine.check_integrity(), "");
  }
  const auto first = std::ranges::find(request.prompt, request.prompt[6]) - request.prompt.begin();
  EXPECT_EQ(read_all(*result.handle)[0].size(), static_cast<size_t>(first));
  EXPECT_EQ(result.handle->end().outcome, RequestOutcome::kFailed);
  EXPECT_EQ(result.handle->end().message,
            fmt::format("the logits after token {} are not finite numbers", first));
  EXPECT_EQ(engine.stats().kv_blocks_held, 0);
}

}  // namespace
}  // namespace invar
