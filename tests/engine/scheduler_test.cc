// Admission in order, promises of kv_blocks, forks of choices and removal.
#include "engine/scheduler.h"

#include <gtest/gtest.h>

#include "engine/fake_runner.h"

namespace invar {
namespace {

class SchedulerTest : public testing::Test {
 protected:
  std::shared_ptr<RequestState> enqueue(int64_t prompt, int64_t max_tokens, int32_t choices = 1) {
    Request request{.prompt = std::vector<int32_t>(static_cast<size_t>(prompt), 1),
                    .max_tokens = max_tokens,
                    .choices = choices};
    const RequestPlan plan = plan_request(scheduler_.rules(), request);
    auto state = std::make_shared<RequestState>(std::move(request), plan, size_t{8});
    scheduler_.enqueue(state);
    return state;
  }
  // Pretends that a pass computed all that `sequence` has, and drew a token.
  static void advance(Sequence& sequence) {
    ASSERT_TRUE(sequence.state.prepare_write({.end = sequence.length()}));
    sequence.state.advance(sequence.pending_rows());
  }

  FakeRunner runner_{{.context_positions = 256,
                      .kv_blocks = 6,
                      .rows_max = 16,
                      .segments_max = 4,
                      .logit_rows_max = 5},
                     10};
  Scheduler scheduler_{runner_};
};

TEST_F(SchedulerTest, AdmitsInOrderWhileThePoolCanHoldAllOfIt) {
  enqueue(100, 28);  // 2 kv_blocks
  enqueue(100, 92);  // 3
  enqueue(100, 28);  // 2: one too many
  enqueue(10, 10);   // 1: would fit, but does not overtake
  EXPECT_EQ(scheduler_.admit().size(), 2u);
  EXPECT_EQ(scheduler_.waiting_count(), 2);
  EXPECT_EQ(scheduler_.check_integrity(), "");
  scheduler_.finish(*scheduler_.running()[0]->sequences[0]);
  EXPECT_EQ(scheduler_.admit().size(), 2u);
  EXPECT_EQ(scheduler_.sequences_running(), 3);
  EXPECT_EQ(scheduler_.check_integrity(), "");
}

TEST_F(SchedulerTest, AdmitsNoMoreSequencesThanAPassHasRowsFor) {
  EXPECT_EQ(scheduler_.rules().sequences_max, 4);
  enqueue(10, 10, 3);
  enqueue(10, 10, 2);
  EXPECT_EQ(scheduler_.admit().size(), 1u);
  EXPECT_EQ(scheduler_.sequences_running(), 3);
}

TEST_F(SchedulerTest, ChoicesAreForkedFromThePromptAndEndOneByOne) {
  enqueue(70, 20, 3);
  LiveRequest& request = *scheduler_.admit().at(0);
  Sequence& first = *request.sequences.at(0);
  EXPECT_EQ(request.open_choices(), 3);
  advance(first);
  const std::vector<Sequence*> all = scheduler_.start_choices(first);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(scheduler_.start_choices(first).size(), 1u);
  EXPECT_EQ(runner_.kv_block_pool().held_count(), 2);
  for (int32_t choice = 0; choice < 3; ++choice) {
    EXPECT_EQ(all[choice]->choice, choice);
    EXPECT_EQ(all[choice]->state.computed(), 70);
    all[choice]->token_ids.push_back(choice);
  }
  EXPECT_EQ(scheduler_.check_integrity(), "");
  for (Sequence* sequence : all) {
    advance(*sequence);
    sequence->token_ids.push_back(5);
  }
  EXPECT_EQ(runner_.kv_block_pool().held_count(), 4);
  EXPECT_EQ(scheduler_.check_integrity(), "");
  EXPECT_FALSE(scheduler_.finish(*all[0]));
  EXPECT_EQ(scheduler_.check_integrity(), "");
  EXPECT_FALSE(scheduler_.finish(*all[2]));
  EXPECT_TRUE(scheduler_.finish(*all[1]));
  EXPECT_EQ(scheduler_.check_integrity(), "");
  EXPECT_EQ(runner_.kv_block_pool().held_count(), 0);
  EXPECT_EQ(scheduler_.sequences_running(), 0);
}

TEST_F(SchedulerTest, RemovesTheCancelledAndTheFailedOnly) {
  const auto kept = enqueue(10, 10);
  const auto cancelled = enqueue(10, 10, 2);
  const auto failed = enqueue(10, 10);
  scheduler_.admit();
  const auto waiting = enqueue(10, 10);
  const auto waiting_cancelled = enqueue(10, 10);
  cancelled->cancel_requested.store(true);
  waiting_cancelled->cancel_requested.store(true);
  scheduler_.running()[2]->failure = "no logits";
  const auto removed = scheduler_.remove(Scheduler::Which::kCancelledOrFailed);
  ASSERT_EQ(removed.size(), 3u);
  EXPECT_EQ(removed[0].state, waiting_cancelled);
  EXPECT_TRUE(removed[0].was_waiting);
  EXPECT_EQ(removed[1].state, cancelled);
  EXPECT_EQ(removed[2].state, failed);
  EXPECT_EQ(removed[2].failure, "no logits");
  EXPECT_EQ(scheduler_.check_integrity(), "");
  EXPECT_EQ(scheduler_.sequences_running(), 1);
  EXPECT_EQ(scheduler_.remove(Scheduler::Which::kRunning).at(0).state, kept);
  EXPECT_EQ(scheduler_.remove(Scheduler::Which::kAll).at(0).state, waiting);
  EXPECT_EQ(scheduler_.check_integrity(), "");
}

// Recurrent state for two sequences at most, however short the queue's kv_blocks are.
TEST_F(SchedulerTest, ARequestWaitsForRecurrentState) {
  FakeRunner runner({.context_positions = 512,
                     .kv_blocks = 40,
                     .state_pages = 7,
                     .row_blocks = 6,
                     .segments_max = 4},
                    10, FakeState::kPagedAndRecurrent);
  Scheduler scheduler(runner);
  std::vector<std::shared_ptr<RequestState>> states;
  for (const int64_t prompt : {300, 10, 10}) {
    Request request{.prompt = std::vector<int32_t>(static_cast<size_t>(prompt), 1),
                    .max_tokens = prompt};
    if (prompt == 10) {
      request.choices = 2;
      request.max_tokens = 120;
    }
    const RequestPlan plan = plan_request(scheduler.rules(), request);
    states.push_back(std::make_shared<RequestState>(std::move(request), plan, size_t{8}));
    scheduler.enqueue(states.back());
  }
  // Three of each unit for the long one, then one page and two row_blocks for each short choice.
  EXPECT_EQ(scheduler.admit().size(), 1u);
  Sequence& first = *scheduler.running()[0]->sequences[0];
  EXPECT_EQ(scheduler.check_integrity(), "");
  scheduler.finish(first);
  EXPECT_EQ(scheduler.admit().size(), 1u);
  EXPECT_EQ(scheduler.waiting_count(), 1);
  EXPECT_EQ(scheduler.check_integrity(), "");
  EXPECT_EQ(runner.state_memory().allocate(StateUnit::kRowBlock), 0);
  EXPECT_EQ(scheduler.check_integrity(), "row_block 0: 1 references, 0 owners");
}

TEST_F(SchedulerTest, IntegrityFindsAnOwnerThatNobodyCounted) {
  enqueue(10, 10);
  Sequence& sequence = *scheduler_.admit().at(0)->sequences.at(0);
  advance(sequence);
  sequence.token_ids.push_back(3);
  EXPECT_EQ(scheduler_.check_integrity(), "");
  runner_.kv_block_pool().retain(sequence.state.kv_blocks()[0]);
  EXPECT_EQ(scheduler_.check_integrity(), "kv_block 0: 2 references, 1 owners");
  runner_.kv_block_pool().release(sequence.state.kv_blocks()[0]);
  sequence.token_ids.pop_back();
  EXPECT_EQ(scheduler_.check_integrity(), "10 positions computed of 10 tokens");
}

}  // namespace
}  // namespace invar
