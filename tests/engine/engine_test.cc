// The engine by single steps, and with its own thread and several clients.
#include "engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "core/error.h"
#include "core/log.h"
#include "engine/engine_fixture.h"

namespace invar {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAreArray;
using testing::HasSubstr;

TEST_F(EngineTest, StepsUntilARequestIsAnswered) {
  Engine engine(runner_, {});
  EXPECT_FALSE(engine.step());
  const Request request = make_request(50, 10);
  SubmitResult result = engine.submit(request);
  ASSERT_EQ(result.status, SubmitStatus::kAccepted);
  int steps = 0;
  while (engine.step()) {
    steps += 1;
    EXPECT_EQ(engine.check_integrity(), "");
  }
  EXPECT_EQ(steps, 3 + 9);  // 50 rows at 24 a pass, the first token with the last of them
  expect_answer(read_all(*result.handle)[0], request);
  EXPECT_EQ(result.handle->end().outcome, RequestOutcome::kFinished);
  EXPECT_EQ(result.handle->end().generated_tokens, 10);
  const EngineStats stats = engine.stats();
  EXPECT_EQ(stats.steps, 12);
  EXPECT_EQ(stats.rows, 50 + 9);
  EXPECT_EQ(stats.generated_tokens, 10);
  EXPECT_EQ(stats.requests_finished, 1);
  EXPECT_EQ(stats.requests_running, 0);
  EXPECT_EQ(stats.kv_blocks_held, 0);
  EXPECT_EQ(stats.kv_blocks, 20);
}

TEST_F(EngineTest, StopTokensEndAnAnswer) {
  Request request = make_request(5, 300);
  const std::vector<int32_t> ids = solo(request).token_ids;
  Engine engine(runner_, {.eos_token_ids = {ids[7]}});
  request.stop_token_ids = {ids[3]};
  SubmitResult first = engine.submit(request);
  request.stop_token_ids = {};
  SubmitResult second = engine.submit(request);
  request.ignore_eos = true;
  request.max_tokens = 20;
  SubmitResult third = engine.submit(request);
  std::vector<size_t> lengths;
  engine.start();
  for (SubmitResult* result : {&first, &second, &third}) {
    const auto events = read_all(*result->handle)[0];
    lengths.push_back(events.size());
    EXPECT_EQ(events.back().finish, result == &third ? FinishReason::kLength : FinishReason::kStop);
  }
  // The stop token itself is reported; an id may have occurred before.
  EXPECT_LE(lengths[0], 4u);
  EXPECT_LE(lengths[1], 8u);
  EXPECT_EQ(lengths[2], 20u);
}

TEST_F(EngineTest, ChoicesShareThePromptAndDrawApart) {
  Engine engine(runner_, {.events_max = 90});
  Request request = make_request(70, 30);
  request.choices = 3;
  SubmitResult result = engine.submit(request);
  for (int i = 0; i < 100 && engine.step(); ++i) {
    EXPECT_EQ(engine.check_integrity(), "");
  }
  EXPECT_EQ(engine.stats().rows, 70 + 3 * 29);  // the prompt was computed once
  auto events = read_all(*result.handle);
  ASSERT_EQ(events.size(), 3u);
  for (int32_t choice = 0; choice < 3; ++choice) {
    expect_answer(events[choice], request, choice);
  }
  EXPECT_NE(solo(request, 0).token_ids, solo(request, 1).token_ids);
}

TEST_F(EngineTest, LogprobsComeWithTheEvents) {
  Engine engine(runner_, {});
  Request request = make_request(3, 2);
  request.sampling.logprobs = true;
  request.sampling.top_logprobs = 4;
  SubmitResult result = engine.submit(request);
  while (engine.step()) {
  }
  const auto events = read_all(*result.handle)[0];
  ASSERT_EQ(events.size(), 2u);
  EXPECT_LT(events[0].logprob, 0.0f);
  EXPECT_EQ(events[0].top_logprobs.size(), 4u);
  EXPECT_GE(events[0].top_logprobs[0].logprob, events[0].logprob);
}

TEST_F(EngineTest, AFullQueueRefusesAtOnce) {
  Engine engine(runner_, {.waiting_max = 2});
  const Request request = make_request(5, 5);
  SubmitResult first = engine.submit(request);
  SubmitResult second = engine.submit(request);
  EXPECT_EQ(engine.submit(request).status, SubmitStatus::kQueueFull);
  EXPECT_EQ(engine.stats().requests_waiting, 2);
  EXPECT_EQ(engine.stats().requests_refused, 1);
  engine.step();
  EXPECT_EQ(engine.stats().requests_waiting, 0);
  SubmitResult third = engine.submit(request);
  EXPECT_EQ(third.status, SubmitStatus::kAccepted);
}

TEST_F(EngineTest, RefusesRequestsThatMakeNoSense) {
  Engine engine(runner_, {});
  try {
    static_cast<void>(engine.submit(make_request(400, 5)));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("400 tokens and 1 of the answer"));
  }
  EXPECT_EQ(engine.stats().requests_waiting, 0);
}

TEST_F(EngineTest, RefusesOptionsThatMakeNoSense) {
  EXPECT_THROW(Engine(runner_, {.waiting_max = 0}), Error);
  EXPECT_THROW(Engine(runner_, {.events_max = 0}), Error);
}

TEST_F(EngineTest, ASlowClientPausesOnlyItself) {
  Engine engine(runner_, {.events_max = 3});
  const Request request = make_request(5, 20, 1);
  const Request other = make_request(5, 20, 2);
  SubmitResult slow = engine.submit(request);
  SubmitResult quick = engine.submit(other);
  std::vector<TokenEvent> events;
  for (int i = 0; i < 100; ++i) {
    engine.step();
    while (auto event = quick.handle->try_next()) {
      events.push_back(std::move(*event));
    }
  }
  EXPECT_TRUE(quick.handle->ended());
  expect_answer(events, other);
  EXPECT_FALSE(engine.step());
  // Read now: it goes on where it stopped.
  events.clear();
  while (!slow.handle->ended()) {
    while (auto event = slow.handle->try_next()) {
      events.push_back(std::move(*event));
    }
    engine.step();
  }
  expect_answer(events, request);
}

TEST_F(EngineTest, CancelledAndAbandonedRequestsGiveBackWhatTheyHeld) {
  Engine engine(runner_, {});
  SubmitResult cancelled = engine.submit(make_request(100, 100));
  {
    const SubmitResult abandoned = engine.submit(make_request(100, 100));
    for (int i = 0; i < 12; ++i) {
      engine.step();
    }
    EXPECT_GE(engine.stats().kv_blocks_held, 4);
  }
  cancelled.handle->cancel();
  engine.step();
  EXPECT_EQ(engine.stats().kv_blocks_held, 0);
  EXPECT_EQ(engine.stats().requests_cancelled, 2);
  read_all(*cancelled.handle);
  EXPECT_EQ(cancelled.handle->end().outcome, RequestOutcome::kCancelled);
}

TEST_F(EngineTest, TellsClientsThatDoNotWait) {
  Engine engine(runner_, {});
  int64_t calls = 0;
  bool told_of_end = false;
  Request request = make_request(50, 10);
  request.choices = 2;
  request.on_event = [&](bool ended) {
    ++calls;
    told_of_end = told_of_end || ended;
  };
  SubmitResult result = engine.submit(request);
  int64_t seen = 0;
  while (!result.handle->ended()) {
    engine.step();
    const int64_t before = calls;
    while (result.handle->try_next()) {
      ++seen;
    }
    // Whatever there was to take had been announced, the tokens of a step by one call.
    EXPECT_GE(2 * before, seen);
    EXPECT_EQ(told_of_end, seen == 20);
    ASSERT_LE(seen, 20);
  }
  EXPECT_EQ(seen, 20);
  // The last two events and the end come with one call.
  EXPECT_EQ(calls, 10);

  calls = 0;
  SubmitResult cancelled = engine.submit(request);
  engine.step();
  cancelled.handle->cancel();
  engine.step();
  EXPECT_TRUE(cancelled.handle->ended());
  EXPECT_EQ(calls, 1);
}

TEST_F(EngineTest, AChoiceCanBeStoppedAlone) {
  Engine engine(runner_, {});
  Request request = make_request(70, 12);
  request.choices = 3;
  SubmitResult result = engine.submit(request);
  std::map<int32_t, std::vector<TokenEvent>> events;
  for (int step = 0; !result.handle->ended(); ++step) {
    ASSERT_LT(step, 100);
    engine.step();
    EXPECT_EQ(engine.check_integrity(), "");
    while (auto event = result.handle->try_next()) {
      const int32_t choice = event->choice;
      events[choice].push_back(std::move(*event));
      if (choice == 1 && events[choice].size() == 3) {
        result.handle->stop_choice(1);
      }
    }
  }
  EXPECT_EQ(events[1].size(), 3u);
  expect_answer(events[0], request, 0);
  expect_answer(events[2], request, 2);
  EXPECT_EQ(result.handle->end().outcome, RequestOutcome::kFinished);
  EXPECT_EQ(result.handle->end().generated_tokens, 12 + 3 + 12);
}

TEST_F(EngineTest, StoppingTheLastChoiceFinishesTheRequest) {
  Engine engine(runner_, {});
  SubmitResult result = engine.submit(make_request(5, 100));
  engine.step();
  ASSERT_TRUE(result.handle->try_next().has_value());
  result.handle->stop_choice(0);
  EXPECT_EQ(engine.stats().sequences_running, 1);
  EXPECT_FALSE(engine.step());
  EXPECT_TRUE(result.handle->ended());
  EXPECT_EQ(result.handle->end().outcome, RequestOutcome::kFinished);
  EXPECT_EQ(engine.stats().requests_finished, 1);
  EXPECT_EQ(engine.stats().sequences_running, 0);
  EXPECT_EQ(engine.stats().kv_blocks_held, 0);
}

TEST_F(EngineTest, AFailedStepFailsTheRunningAndNotTheWaiting) {
  Engine engine(runner_, {});
  std::vector<SubmitResult> results;
  for (int i = 0; i < 5; ++i) {
    results.push_back(engine.submit(make_request(10, 5, static_cast<uint64_t>(i))));
  }
  runner_.on_run = [] { fail(Code::kExhausted, "no memory for the pass"); };
  EXPECT_TRUE(engine.step());
  runner_.on_run = nullptr;
  EXPECT_EQ(engine.check_integrity(), "");
  while (engine.step()) {
  }
  for (int i = 0; i < 4; ++i) {
    read_all(*results[i].handle);
    EXPECT_EQ(results[i].handle->end().outcome, RequestOutcome::kFailed);
    EXPECT_EQ(results[i].handle->end().message, "engine step failed: no memory for the pass");
  }
  expect_answer(read_all(*results[4].handle)[0], make_request(10, 5, 4));
  EXPECT_EQ(engine.stats().requests_failed, 4);
}

TEST_F(EngineTest, LogitsThatAreNoNumbersFailTheirRequestOnly) {
  Engine engine(runner_, {});
  Request broken = make_request(10, 5);
  broken.sampling.logit_bias = {{3, 3e38f}, {3, 3e38f}};
  broken.choices = 2;
  const Request sound = make_request(10, 5);
  SubmitResult first = engine.submit(broken);
  SubmitResult second = engine.submit(sound);
  while (engine.step()) {
    EXPECT_EQ(engine.check_integrity(), "");
  }
  expect_answer(read_all(*second.handle)[0], sound);
  EXPECT_TRUE(read_all(*first.handle).empty());
  EXPECT_EQ(first.handle->end().outcome, RequestOutcome::kFailed);
  EXPECT_EQ(first.handle->end().message, "the logits after token 9 are not finite numbers");
}

TEST_F(EngineTest, TimesComeFromTheClock) {
  double now = 100;
  runner_.on_run = [&] { now += 2; };
  Engine engine(runner_, {.seconds_now = [&] { return now; }});
  SubmitResult result = engine.submit(make_request(30, 2));
  now = 110;
  while (engine.step()) {
  }
  read_all(*result.handle);
  const RequestTimes times = result.handle->end().times;
  EXPECT_EQ(times.submitted, 100);
  EXPECT_EQ(times.admitted, 110);
  EXPECT_EQ(times.first_token, 114);
  EXPECT_EQ(times.ended, 116);
  EXPECT_EQ(engine.stats().pass_seconds, 6);
}

TEST_F(EngineTest, ThreadsOfClientsGetTheirOwnAnswers) {
  Engine engine(runner_, {.waiting_max = 8, .events_max = 2});
  engine.start();
  std::vector<std::thread> clients;
  for (uint64_t client = 0; client < 6; ++client) {
    clients.emplace_back([&, client] {
      for (uint64_t turn = 0; turn < 8; ++turn) {
        Request request = make_request(1 + static_cast<int64_t>(client * 13 + turn) % 90, 25,
                                       client * 100 + turn);
        request.choices = 1 + static_cast<int32_t>(turn % 2);
        SubmitResult result = engine.submit(request);
        if (result.status == SubmitStatus::kQueueFull) {
          continue;
        }
        ASSERT_EQ(result.status, SubmitStatus::kAccepted);
        if (turn % 4 == 3) {
          static_cast<void>(result.handle->next(milliseconds(5)));
          continue;  // gives up: the handle is destroyed
        }
        auto events = read_all(*result.handle);
        for (int32_t choice = 0; choice < request.choices; ++choice) {
          expect_answer(events[choice], request, choice);
        }
        static_cast<void>(engine.stats());
      }
    });
  }
  for (std::thread& client : clients) {
    client.join();
  }
  engine.shutdown(Shutdown::kFinish);
  EXPECT_EQ(engine.check_integrity(), "");
  EXPECT_EQ(engine.stats().kv_blocks_held, 0);
  EXPECT_EQ(engine.stats().requests_waiting, 0);
}

TEST_F(EngineTest, ShutdownFinishesWhatWasAccepted) {
  Engine engine(runner_, {});
  std::vector<SubmitResult> results;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    results.push_back(engine.submit(make_request(20, 20, seed)));
  }
  engine.start();
  engine.shutdown(Shutdown::kFinish);
  EXPECT_EQ(engine.submit(make_request(5, 5)).status, SubmitStatus::kStopping);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    expect_answer(read_all(*results[seed].handle)[0], make_request(20, 20, seed));
  }
}

TEST_F(EngineTest, ShutdownCancelsWhatRunsAndWaits) {
  std::vector<SubmitResult> results;
  {
    Engine engine(runner_, {.events_max = 1});
    for (uint64_t seed = 0; seed < 10; ++seed) {
      results.push_back(engine.submit(make_request(20, 300, seed)));
    }
    engine.start();
    ASSERT_TRUE(results[0].handle->next(seconds(30)).has_value());
    // The destructor cancels.
  }
  for (SubmitResult& result : results) {
    read_all(*result.handle);
    EXPECT_EQ(result.handle->end().outcome, RequestOutcome::kCancelled);
  }
  EXPECT_EQ(runner_.kv_block_pool().held_count(), 0);
}

}  // namespace
}  // namespace invar
