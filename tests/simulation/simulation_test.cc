// The real scheduler, cache, sampler and engine under a virtual clock: random sizes, arrivals, slow
// and impatient clients, and passes that fail. After every step the integrity of the cache is
// checked, and every answer must equal the request's answer computed alone. Each seed is a test:
// a failure is repeated by running its name.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "core/error.h"
#include "core/log.h"
#include "engine/engine.h"
#include "engine/fake_runner.h"
#include "engine/solo.h"

namespace invar {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  // From `low` to `high`, both included.
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine_() % static_cast<uint64_t>(high - low + 1));
  }
  bool chance(int64_t percent) { return between(1, 100) <= percent; }
  double seconds(int64_t low_ms, int64_t high_ms) {
    return static_cast<double>(between(low_ms, high_ms)) * 0.001;
  }
  float fraction() { return static_cast<float>(between(0, 1000)) * 0.001f; }

 private:
  std::mt19937_64 engine_;
};

// One client with one request, and its habits.
struct Client {
  Request request;
  double arrives = 0;
  double cancels = kNever;   // calls cancel()
  double abandons = kNever;  // destroys its handle
  double reads_next = 0;
  double read_pause = 0;   // between two reads
  int64_t read_count = 0;  // events taken at each read

  enum class Phase { kComing, kActive, kDone };
  Phase phase = Phase::kComing;
  std::optional<RequestHandle> handle = {};
  std::vector<std::vector<TokenEvent>> events = {};  // by choice
  std::vector<TokenEvent> scores = {};               // of the prompt's tokens
  std::optional<RequestEnd> end = {};
};

struct World {
  RunnerLimits limits;
  EngineOptions options;
  int64_t vocabulary = 0;
  int64_t pass_failure_percent = 0;
  FakeState state = FakeState::kPaged;
};

World random_world(Random& random) {
  World world;
  world.vocabulary = random.between(4, 40);
  world.limits.context_positions = random.between(20, 400);
  world.limits.kv_blocks = random.between(1, 12);
  world.limits.rows_max = random.between(1, 90);
  world.limits.segments_max = random.between(1, 6);
  world.limits.logit_rows_max = random.between(1, 6);
  if (random.chance(50)) {
    world.state = FakeState::kPagedAndRecurrent;
    world.limits.state_pages = random.chance(30) ? 0 : random.between(kRecurrentUnitsMax, 18);
    world.limits.row_blocks = random.chance(30) ? 0 : random.between(kRecurrentUnitsMax, 18);
  }
  world.options.waiting_max = random.between(1, 8);
  world.options.events_max = random.between(1, 5);
  if (random.chance(60)) {
    world.options.eos_token_ids = {0};
  }
  world.pass_failure_percent = random.chance(25) ? 2 : 0;
  return world;
}

SamplingParams random_params(Random& random, int64_t vocabulary) {
  SamplingParams params;
  params.seed = static_cast<uint64_t>(random.between(0, 1000));
  params.temperature = random.chance(25) ? 0.0f : 0.2f + random.fraction();
  params.top_k = random.chance(30) ? static_cast<int32_t>(random.between(1, vocabulary)) : 0;
  params.top_p = random.chance(30) ? 0.2f + 0.8f * random.fraction() : 1.0f;
  params.min_p = random.chance(20) ? 0.2f * random.fraction() : 0.0f;
  if (random.chance(25)) {
    params.repetition_penalty = 1.0f + random.fraction();
    params.presence_penalty = random.fraction();
    params.frequency_penalty = random.fraction();
  }
  if (random.chance(20)) {
    params.logit_bias = {{.token_id = static_cast<int32_t>(random.between(0, vocabulary - 1)),
                          .bias = 4.0f * random.fraction() - 2.0f}};
  }
  return params;
}

Client random_client(Random& random, const World& world) {
  Client client;
  Request& request = client.request;
  const int64_t prompt_max = random.chance(80) ? 100 : world.limits.context_positions + 20;
  for (int64_t i = random.between(1, prompt_max); i > 0; --i) {
    request.prompt.push_back(static_cast<int32_t>(random.between(0, world.vocabulary - 1)));
  }
  request.sampling = random_params(random, world.vocabulary);
  request.max_tokens = random.chance(80) ? random.between(1, 60) : random.between(60, 1000);
  request.ignore_eos = random.chance(20);
  request.choices = random.chance(40) ? static_cast<int32_t>(random.between(2, 5)) : 1;
  if (random.chance(30)) {
    request.stop_token_ids = {static_cast<int32_t>(random.between(0, world.vocabulary - 1))};
  }
  client.arrives = random.seconds(0, 2000);
  client.events.resize(static_cast<size_t>(request.choices));
  client.reads_next = client.arrives;
  const bool slow = random.chance(25);
  client.read_pause = slow ? random.seconds(20, 300) : random.seconds(1, 10);
  client.read_count = random.between(1, slow ? 3 : 20);
  if (random.chance(12)) {
    client.cancels = client.arrives + random.seconds(0, 1500);
  }
  if (random.chance(12)) {
    client.abandons = client.arrives + random.seconds(0, 1500);
  }
  if (random.chance(25)) {
    request.sampling.logprobs = true;
    request.sampling.top_logprobs = static_cast<int32_t>(random.between(0, 3));
    request.prompt_logprobs = true;
    request.max_tokens = random.chance(40) ? 0 : request.max_tokens;
  }
  return client;
}

class Simulation {
 public:
  explicit Simulation(uint64_t seed)
      : random_(seed),
        world_(random_world(random_)),
        runner_(world_.limits, world_.vocabulary, world_.state),
        engine_(runner_, with_clock(world_.options)) {
    runner_.on_run = [this] { run_pass(); };
    runner_.state_memory().poison_allocated(true);
    for (int64_t i = random_.between(3, 25); i > 0; --i) {
      clients_.push_back(random_client(random_, world_));
    }
  }

  void run() {
    // Enough for the slowest clients; a loop that changes nothing for good shows.
    constexpr int kTurnsMax = 2000000;
    for (int turn = 0; turn < kTurnsMax && !all_done(); ++turn) {
      for (Client& client : clients_) {
        act(client);
      }
      const bool computed = engine_.step();
      ASSERT_EQ(engine_.check_integrity(), "") << "turn " << turn << " at " << now_;
      if (!computed) {
        const double next = next_event();
        ASSERT_TRUE(next < kNever || all_done()) << "nothing will ever happen, at " << now_;
        now_ = std::max(now_, next);
      }
    }
    ASSERT_TRUE(all_done()) << "too many turns, at " << now_;
    check_end();
  }

 private:
  EngineOptions with_clock(EngineOptions options) {
    options.seconds_now = [this] { return now_; };
    return options;
  }

  void run_pass() {
    const PassShape shape = runner_.tables().shape();
    INVAR_CHECK(shape.rows <= world_.limits.rows_max);
    now_ += 0.001 + 0.0001 * static_cast<double>(shape.rows);
    if (random_.chance(world_.pass_failure_percent)) {
      failures_ += 1;
      fail(Code::kExhausted, "planned failure");
    }
  }

  void act(Client& client) {
    if (client.phase == Client::Phase::kComing && client.arrives <= now_) {
      arrive(client);
    }
    if (client.phase != Client::Phase::kActive) {
      return;
    }
    if (client.abandons <= now_) {
      client.handle.reset();
      client.phase = Client::Phase::kDone;
      return;
    }
    if (client.cancels <= now_) {
      client.handle->cancel();
      client.cancels = kNever;
    }
    if (client.reads_next <= now_) {
      read(client);
    }
  }

  void arrive(Client& client) {
    client.phase = Client::Phase::kDone;
    try {
      SubmitResult result = engine_.submit(client.request);
      if (result.status == SubmitStatus::kAccepted) {
        client.handle = std::move(result.handle);
        client.phase = Client::Phase::kActive;
        accepted_ += 1;
        return;
      }
      ASSERT_EQ(result.status, SubmitStatus::kQueueFull);
      ASSERT_EQ(engine_.stats().requests_waiting, world_.options.waiting_max);
      refused_ += 1;
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), Code::kBadArgument);
      impossible_ += 1;
    }
  }

  void read(Client& client) {
    for (int64_t i = 0; i < client.read_count; ++i) {
      auto event = client.handle->try_next();
      if (event && event->position < std::ssize(client.request.prompt)) {
        client.scores.push_back(std::move(*event));
      } else if (event) {
        client.events.at(static_cast<size_t>(event->choice)).push_back(std::move(*event));
      }
    }
    if (client.handle->ended()) {
      client.end = client.handle->end();
      client.phase = Client::Phase::kDone;
    }
    client.reads_next = now_ + client.read_pause;
  }

  bool all_done() const {
    return std::all_of(clients_.begin(), clients_.end(),
                       [](const Client& c) { return c.phase == Client::Phase::kDone; });
  }

  double next_event() const {
    double next = kNever;
    for (const Client& client : clients_) {
      if (client.phase == Client::Phase::kComing) {
        next = std::min(next, client.arrives);
      } else if (client.phase == Client::Phase::kActive) {
        next = std::min({next, client.abandons, client.cancels, client.reads_next});
      }
    }
    return next;
  }

  void check_answer(const Client& client, int32_t choice) {
    const std::vector<TokenEvent>& events = client.events[static_cast<size_t>(choice)];
    const RequestPlan plan =
        plan_request({.vocabulary = world_.vocabulary,
                      .context_positions = world_.limits.context_positions,
                      .units = runner_.state_memory().counts(),
                      .has_recurrent_state = runner_.state_memory().has_recurrent_state(),
                      .sequences_max = 6},
                     client.request);
    const SoloAnswer expected = solo_answer(client.request, choice,
                                            {.vocabulary = world_.vocabulary,
                                             .length_max = plan.length_max,
                                             .eos_token_ids = world_.options.eos_token_ids});
    ASSERT_LE(events.size(), expected.token_ids.size());
    for (size_t i = 0; i < events.size(); ++i) {
      ASSERT_EQ(events[i].token_id, expected.token_ids[i]) << "token " << i << " of the answer";
      ASSERT_EQ(events[i].position, static_cast<int64_t>(client.request.prompt.size() + i));
      const bool last = i + 1 == expected.token_ids.size();
      ASSERT_EQ(events[i].finish, last ? expected.finish : FinishReason::kNone);
    }
    if (client.end && client.end->outcome == RequestOutcome::kFinished) {
      ASSERT_EQ(events.size(), expected.token_ids.size());
    }
  }

  void check_scores(const Client& client) {
    const std::vector<TokenEvent> expected = client.request.prompt_logprobs
                                                 ? solo_scores(client.request, world_.vocabulary)
                                                 : std::vector<TokenEvent>();
    ASSERT_LE(client.scores.size(), expected.size());
    for (size_t i = 0; i < client.scores.size(); ++i) {
      ASSERT_EQ(client.scores[i].token_id, expected[i].token_id);
      ASSERT_EQ(client.scores[i].position, expected[i].position);
      ASSERT_EQ(client.scores[i].logprob, expected[i].logprob);
      ASSERT_EQ(client.scores[i].top_logprobs, expected[i].top_logprobs);
    }
    if (client.end && client.end->outcome == RequestOutcome::kFinished) {
      ASSERT_EQ(client.scores.size(), expected.size());
    }
  }

  void check_end() {
    // Abandoned requests end at the next step.
    while (engine_.step()) {
    }
    ASSERT_EQ(engine_.check_integrity(), "");
    for (size_t i = 0; i < clients_.size(); ++i) {
      SCOPED_TRACE(fmt::format("client {}", i));
      const bool has_plan =
          clients_[i].end.has_value() || clients_[i].abandons <= now_;  // else it was refused
      check_scores(clients_[i]);
      for (int32_t choice = 0; has_plan && choice < clients_[i].request.choices; ++choice) {
        if (!clients_[i].events[static_cast<size_t>(choice)].empty() || clients_[i].end) {
          check_answer(clients_[i], choice);
        }
      }
    }
    const EngineStats stats = engine_.stats();
    ASSERT_EQ(stats.kv_blocks_held, 0);
    ASSERT_EQ(stats.state_pages_held, 0);
    ASSERT_EQ(stats.row_blocks_held, 0);
    ASSERT_EQ(runner_.state_storage().copied()[StateUnit::kStatePage], 0);
    ASSERT_EQ(stats.requests_waiting, 0);
    ASSERT_EQ(stats.requests_running, 0);
    ASSERT_EQ(stats.requests_refused, refused_);
    ASSERT_EQ(stats.requests_finished + stats.requests_cancelled + stats.requests_failed,
              accepted_);
    ASSERT_TRUE(stats.requests_failed == 0 || failures_ > 0);
    ASSERT_EQ(accepted_ + refused_ + impossible_, static_cast<int64_t>(clients_.size()));
    check_order();
  }

  // First come, first served: who was submitted earlier was not admitted later.
  void check_order() {
    std::vector<RequestTimes> times;
    for (const Client& client : clients_) {
      if (client.end && client.end->times.admitted > 0) {
        times.push_back(client.end->times);
      }
    }
    std::sort(times.begin(), times.end(),
              [](const auto& a, const auto& b) { return a.submitted < b.submitted; });
    for (size_t i = 1; i < times.size(); ++i) {
      ASSERT_TRUE(times[i - 1].submitted == times[i].submitted ||
                  times[i - 1].admitted <= times[i].admitted);
    }
  }

  double now_ = 1;
  Random random_;
  World world_;
  FakeRunner runner_;
  Engine engine_;
  std::vector<Client> clients_;
  int64_t failures_ = 0;
  int64_t accepted_ = 0;
  int64_t refused_ = 0;
  int64_t impossible_ = 0;
};

class SimulationTest : public testing::TestWithParam<uint64_t> {
 protected:
  void SetUp() override { set_log_level(LogLevel::kOff); }
  void TearDown() override { set_log_level(LogLevel::kWarn); }
};

TEST_P(SimulationTest, EveryAnswerEqualsItsSoloAnswer) {
  SCOPED_TRACE(fmt::format("seed {}", GetParam()));
  Simulation simulation(GetParam());
  simulation.run();
}

INSTANTIATE_TEST_SUITE_P(Seeds, SimulationTest, testing::Range(uint64_t{0}, uint64_t{300}));

}  // namespace
}  // namespace invar
