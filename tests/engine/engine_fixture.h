// An engine's runner, requests, and what their clients see, for tests of the engine.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <vector>

#include "core/log.h"
#include "engine/engine.h"
#include "engine/solo.h"

namespace invar {

inline constexpr int64_t kVocabulary = 40;

inline Request make_request(int64_t prompt, int64_t max_tokens, uint64_t seed = 1) {
  Request request{.sampling = {.seed = seed}, .max_tokens = max_tokens};
  for (int64_t i = 0; i < prompt; ++i) {
    request.prompt.push_back(
        static_cast<int32_t>(mix_bits(seed, static_cast<uint64_t>(i)) % kVocabulary));
  }
  return request;
}

inline SoloAnswer solo(const Request& request, int32_t choice = 0) {
  return solo_answer(
      request, choice,
      {.vocabulary = kVocabulary,
       .length_max = static_cast<int64_t>(request.prompt.size()) + request.max_tokens});
}

// What a client saw until the request ended, by choice.
inline std::map<int32_t, std::vector<TokenEvent>> read_all(RequestHandle& handle) {
  std::map<int32_t, std::vector<TokenEvent>> events;
  while (!handle.ended()) {
    if (auto event = handle.next(std::chrono::seconds(30))) {
      events[event->choice].push_back(std::move(*event));
    }
  }
  return events;
}

inline void expect_answer(const std::vector<TokenEvent>& events, const Request& request,
                          int32_t choice = 0) {
  const SoloAnswer expected = solo(request, choice);
  std::vector<int32_t> ids;
  for (const TokenEvent& event : events) {
    EXPECT_EQ(event.position, static_cast<int64_t>(request.prompt.size() + ids.size()));
    ids.push_back(event.token_id);
  }
  EXPECT_THAT(ids, testing::ElementsAreArray(expected.token_ids));
  EXPECT_EQ(events.back().finish, expected.finish);
}

class EngineTest : public testing::Test {
 protected:
  void SetUp() override { set_log_level(LogLevel::kOff); }
  void TearDown() override { set_log_level(LogLevel::kWarn); }

  FakeRunner runner_{{.context_positions = 400,
                      .kv_blocks = 20,
                      .rows_max = 24,
                      .segments_max = 4,
                      .logit_rows_max = 4},
                     kVocabulary};
};

}  // namespace invar
