// A runner over a small program with real ops: passes in all modes, limits, and the engine on top
// of it, which must answer what one token after the other gives.
#include "engine/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "backend/registry.h"
#include "core/error.h"
#include "engine/engine.h"
#include "engine/fake_runner.h"
#include "engine/law.h"
#include "engine/timeline.h"
#include "program/small_model.h"

namespace invar {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;

std::vector<int32_t> make_ids(int64_t count, uint64_t seed) {
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < count; ++i) {
    ids.push_back(
        static_cast<int32_t>(mix_bits(seed, static_cast<uint64_t>(i)) % SmallModel::kVocabulary));
  }
  return ids;
}

class RunnerTest : public testing::Test {
 protected:
  Runner make_runner(const RunnerLimits& limits) {
    return Runner({.program = &model_.program, .backend = backend_.get(), .team = &team_}, limits);
  }

  SmallModel model_{{.context = 512}};
  std::unique_ptr<Backend> backend_ = make_cpu_backend("");
  ThreadTeam team_{1};
};

// The same over a program with attention and recurrent layers.
class HybridRunnerTest : public RunnerTest {
 protected:
  HybridRunnerTest() {
    runner_.state_storage().poison();
    runner_.state_memory().poison_allocated(true);
  }
  void expect_next(Timeline& line, std::span<const int32_t> ids, int64_t end) {
    const auto begin = static_cast<size_t>(line.positions());
    const std::vector<float> row =
        line.append({.token_ids = ids.subspan(begin, static_cast<size_t>(end) - begin)});
    EXPECT_TRUE(std::isfinite(row[0]));
    Timeline solo(runner_);
    EXPECT_EQ(row, solo.append({.token_ids = ids.first(static_cast<size_t>(end))})) << end;
  }

  SmallModel hybrid_{{.context = 512, .hybrid = true}};
  Runner runner_{{.program = &hybrid_.program, .backend = backend_.get(), .team = &team_},
                 {.context_positions = 512, .kv_blocks = 40, .logit_rows_max = 512}};
};

TEST_F(HybridRunnerTest, EveryCutGivesTheSameBytes) {
  const std::vector<int32_t> ids = make_ids(300, 1);
  Timeline whole(runner_);
  const std::vector<float> expected = whole.append({.token_ids = ids, .rows = LogitRows::kAll});
  for (const float logit : expected) {
    ASSERT_TRUE(std::isfinite(logit));
  }
  for (const std::vector<int64_t>& pieces :
       {std::vector<int64_t>(300, 1), {64, 128, 108}, {1, 63, 65, 150, 21}}) {
    Timeline cut(runner_);
    EXPECT_EQ(cut.append({.token_ids = ids, .pieces = pieces, .rows = LogitRows::kAll}), expected);
  }
}

TEST_F(HybridRunnerTest, DraftsTruncationsForksAndSnapshotsKeepTheBytes) {
  const std::vector<int32_t> ids = make_ids(400, 2);
  const std::vector<int32_t> others = make_ids(400, 3);
  Timeline line(runner_);
  const int64_t captures[] = {64};
  line.append({.token_ids = std::span(ids).first(120), .captures = captures});
  // Drafts over a boundary, rejected.
  line.append({.token_ids = std::span(others).first(20), .accept = false});
  line.truncate(120);
  EXPECT_EQ(line.state().computed(), 120);
  expect_next(line, ids, 121);
  // Two branches inside a chunk.
  Timeline sibling = line.fork();
  sibling.append({.token_ids = std::span(others).first(60)});
  expect_next(line, ids, 200);
  std::vector<int32_t> mixed(ids.begin(), ids.begin() + 121);
  mixed.insert(mixed.end(), others.begin(), others.end());
  expect_next(sibling, mixed, 200);
  // Behind the last accepted page: from the captured one, and from the start.
  const TimelineSnapshot snapshot = line.snapshot();
  line.truncate(100);
  EXPECT_EQ(line.state().computed(), 64);
  expect_next(line, ids, 210);
  line.truncate(50);
  EXPECT_EQ(line.state().computed(), 0);
  expect_next(line, ids, 70);
  Timeline resumed(runner_, snapshot);
  expect_next(resumed, ids, 270);
  EXPECT_EQ(runner_.state_storage().copied()[StateUnit::kStatePage], 0);
  EXPECT_GT(runner_.state_storage().copied()[StateUnit::kRowBlock], 0);
}

TEST_F(HybridRunnerTest, TheLawHolds) {
  const LawSubject subject{.program = &hybrid_.program,
                           .unfused = &hybrid_.program,
                           .backend = backend_.get(),
                           .team = &team_,
                           .context = 512};
  for (const LawResult& result : check_law(subject, {})) {
    EXPECT_EQ(result.status, LawResult::Status::kEqual) << describe("hybrid", result);
  }
}

TEST_F(RunnerTest, TakesItsSizesFromTheProgram) {
  Runner runner = make_runner({.context_positions = 512, .kv_blocks = 3});
  EXPECT_EQ(runner.vocabulary(), SmallModel::kVocabulary);
  // Keys and values of two layers: one head of 16 f32 columns, 64 positions.
  EXPECT_EQ(runner.state_storage().unit_bytes()[StateUnit::kKvBlock], 4 * 16 * 4 * 64);
  EXPECT_EQ(runner.state_storage().buffers().size(), 4u);
  EXPECT_GT(runner.arena_bytes(), 0);
  EXPECT_EQ(&runner.program(), &model_.program);
}

TEST_F(RunnerTest, RefusesAContextThatThePositionTablesDoNotCover) {
  try {
    make_runner({.context_positions = 513});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kBadArgument);
    EXPECT_THAT(error.what(), HasSubstr("positions end at 512, found 513"));
  }
}

TEST_F(RunnerTest, EveryModeAndEveryCutGivesTheSameBytes) {
  Runner runner = make_runner(
      {.context_positions = 512, .kv_blocks = 24, .rows_max = 128, .logit_rows_max = 128});
  runner.state_storage().poison();
  runner.poison_arena();
  const std::vector<int32_t> ids = make_ids(300, 1);
  Timeline whole(runner);
  const std::vector<float> expected = whole.append({.token_ids = ids, .rows = LogitRows::kAll});
  for (const float logit : expected) {
    ASSERT_TRUE(std::isfinite(logit));
  }
  Timeline cut(runner);
  std::vector<int64_t> pieces(200, 1);
  pieces.push_back(100);
  EXPECT_EQ(cut.append({.token_ids = ids, .pieces = pieces, .rows = LogitRows::kAll}), expected);

  Timeline hashed(runner);
  size_t digests = 0;
  EXPECT_EQ(hashed.append({.token_ids = ids,
                           .rows = LogitRows::kAll,
                           .run = [&] { digests += runner.run_hashed().size(); }}),
            expected);
  EXPECT_GT(digests, 0u);

  Timeline profiled(runner);
  std::vector<OpProfile> profile;
  EXPECT_EQ(profiled.append({.token_ids = ids,
                             .rows = LogitRows::kAll,
                             .run = [&] { runner.run_profiled(profile); }}),
            expected);
  EXPECT_EQ(profile.size(), model_.program.nodes.size());
}

TEST_F(RunnerTest, TruncatedAndForkedTimelinesKeepTheirBytes) {
  Runner runner = make_runner({.context_positions = 512, .kv_blocks = 16});
  runner.state_storage().poison();
  const std::vector<int32_t> ids = make_ids(200, 2);
  const std::vector<int32_t> others = make_ids(200, 3);
  Timeline solo(runner);
  const std::vector<float> expected = solo.append({.token_ids = ids});

  Timeline line(runner);
  line.append({.token_ids = std::span(ids).first(100), .rows = LogitRows::kNone});
  Timeline sibling = line.fork();
  sibling.append({.token_ids = others, .rows = LogitRows::kNone});
  line.append({.token_ids = others, .rows = LogitRows::kNone});
  line.truncate(100);
  EXPECT_EQ(line.append({.token_ids = std::span(ids).subspan(100)}), expected);
  sibling.truncate(100);
  EXPECT_EQ(sibling.append({.token_ids = std::span(ids).subspan(100)}), expected);
}

// The answer by one token after the other, with nobody else on the runner.
std::vector<int32_t> solo_tokens(Runner& runner, const Request& request, int32_t choice) {
  Timeline timeline(runner);
  Sampler sampler;
  std::vector<int32_t> answer;
  std::vector<int32_t> next = request.prompt;
  while (static_cast<int64_t>(answer.size()) < request.max_tokens) {
    const std::vector<float> logits = timeline.append({.token_ids = next});
    next = {sampler
                .sample({.logits = logits,
                         .params = &request.sampling,
                         .choice = choice,
                         .position = timeline.positions()})
                .value()
                .token_id};
    answer.push_back(next.front());
  }
  return answer;
}

void expect_solo_answers(Runner& solo, Runner& shared) {
  std::vector<Request> requests;
  for (uint64_t seed = 0; seed < 6; ++seed) {
    requests.push_back({.prompt = make_ids(20 + 37 * static_cast<int64_t>(seed), seed),
                        .sampling = {.temperature = seed == 0 ? 0.0f : 0.9f, .seed = seed},
                        .max_tokens = 40,
                        .choices = seed == 3 ? 3 : 1});
  }
  shared.state_storage().poison();
  Engine engine(shared, {.events_max = 4});
  std::vector<SubmitResult> results;
  for (const Request& request : requests) {
    results.push_back(engine.submit(request));
  }
  engine.start();
  for (size_t i = 0; i < requests.size(); ++i) {
    std::vector<std::vector<int32_t>> answers(static_cast<size_t>(requests[i].choices));
    while (!results[i].handle->ended()) {
      if (const auto event = results[i].handle->next(std::chrono::seconds(60))) {
        answers[static_cast<size_t>(event->choice)].push_back(event->token_id);
      }
    }
    for (int32_t choice = 0; choice < requests[i].choices; ++choice) {
      EXPECT_THAT(answers[static_cast<size_t>(choice)],
                  ElementsAreArray(solo_tokens(solo, requests[i], choice)))
          << "request " << i << " choice " << choice;
    }
  }
}

// The log probabilities of a prompt's tokens, each after its prefix in a pass of its own.
std::vector<float> solo_scores(Runner& runner, const Request& request) {
  Timeline timeline(runner);
  std::vector<float> scores;
  for (size_t i = 0; i + 1 < request.prompt.size(); ++i) {
    const std::vector<float> logits = timeline.append({.token_ids = {&request.prompt[i], 1}});
    scores.push_back(score_token(logits, request.prompt[i + 1], request.sampling).value().logprob);
  }
  return scores;
}

// However prompts are cut, and whoever is computed with them.
void expect_solo_scores(Runner& solo, Runner& shared) {
  std::vector<Request> requests;
  for (uint64_t seed = 0; seed < 6; ++seed) {
    requests.push_back({.prompt = make_ids(15 + 29 * static_cast<int64_t>(seed), seed),
                        .sampling = {.seed = seed, .logprobs = true},
                        .max_tokens = static_cast<int64_t>(seed) * 5,
                        .prompt_logprobs = seed != 2});
  }
  shared.state_storage().poison();
  Engine engine(shared, {});
  std::vector<SubmitResult> results;
  for (const Request& request : requests) {
    results.push_back(engine.submit(request));
  }
  engine.start();
  for (size_t i = 0; i < requests.size(); ++i) {
    const auto prompt = static_cast<int64_t>(requests[i].prompt.size());
    std::vector<float> scores;
    while (!results[i].handle->ended()) {
      const auto event = results[i].handle->next(std::chrono::seconds(60));
      if (event && event->position < prompt) {
        scores.push_back(event->logprob);
      }
    }
    EXPECT_EQ(results[i].handle->end().outcome, RequestOutcome::kFinished);
    if (requests[i].prompt_logprobs) {
      EXPECT_THAT(scores, ElementsAreArray(solo_scores(solo, requests[i]))) << "request " << i;
    } else {
      EXPECT_TRUE(scores.empty());
    }
  }
}

constexpr RunnerLimits kSharedLimits{.context_positions = 512,
                                     .kv_blocks = 14,
                                     .rows_max = 50,
                                     .segments_max = 6,
                                     .logit_rows_max = 6};

TEST_F(RunnerTest, TheEngineAnswersWhatASoloRunGives) {
  Runner solo = make_runner({.context_positions = 512});
  Runner shared = make_runner(kSharedLimits);
  expect_solo_answers(solo, shared);
}

TEST_F(HybridRunnerTest, ScoredPromptsAreWhatSoloRunsGive) {
  for (const int64_t logit_rows : {6, 7, 40}) {
    RunnerLimits limits = kSharedLimits;
    limits.logit_rows_max = logit_rows;
    Runner shared({.program = &hybrid_.program, .backend = backend_.get(), .team = &team_}, limits);
    shared.state_memory().poison_allocated(true);
    expect_solo_scores(runner_, shared);
  }
}

TEST_F(HybridRunnerTest, TheEngineAnswersWhatASoloRunGives) {
  Runner shared({.program = &hybrid_.program, .backend = backend_.get(), .team = &team_},
                kSharedLimits);
  shared.state_memory().poison_allocated(true);
  expect_solo_answers(runner_, shared);
  EXPECT_EQ(shared.state_storage().copied()[StateUnit::kStatePage], 0);
}

}  // namespace
}  // namespace invar
