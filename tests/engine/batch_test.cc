// Rows of a pass: answers first, prompts in order with what is left.
#include "engine/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/fake_runner.h"

namespace invar {
namespace {

using testing::ElementsAre;

class BatchTest : public testing::Test {
 protected:
  Sequence* add(int64_t length, int64_t computed) {
    sequences_.push_back(std::make_unique<Sequence>(request_, 0, runner_.make_sequence_state()));
    sequences_.back()->token_ids.assign(static_cast<size_t>(length), 1);
    SequenceState& state = sequences_.back()->state;
    EXPECT_TRUE(state.prepare_write({.end = computed}));
    state.advance(computed);
    ready_.push_back(sequences_.back().get());
    return ready_.back();
  }
  std::vector<BatchSegment> choose(int64_t rows_max) {
    return choose_batch(
        ready_, {.rows_max = rows_max, .segments_max = 8, .logit_rows_max = 8, .kv_blocks_max = 8});
  }
  static auto is(Sequence* sequence, int64_t rows, bool draws) {
    return testing::AllOf(testing::Field(&BatchSegment::sequence, sequence),
                          testing::Field(&BatchSegment::rows, rows),
                          testing::Field(&BatchSegment::draws, draws));
  }

  FakeRunner runner_{{.context_positions = 100, .kv_blocks = 8}, 10};
  LiveRequest request_;
  std::vector<std::unique_ptr<Sequence>> sequences_;
  std::vector<Sequence*> ready_;
};

TEST_F(BatchTest, NothingReadyGivesNothing) {
  EXPECT_TRUE(choose(10).empty());
}

TEST_F(BatchTest, AnswersComeFirstThenPromptsInOrder) {
  Sequence* prompt = add(20, 0);
  Sequence* answer = add(9, 8);
  Sequence* later = add(30, 10);
  Sequence* other_answer = add(3, 2);
  EXPECT_THAT(choose(40), ElementsAre(is(answer, 1, true), is(other_answer, 1, true),
                                      is(prompt, 20, true), is(later, 18, false)));
  EXPECT_THAT(choose(10),
              ElementsAre(is(answer, 1, true), is(other_answer, 1, true), is(prompt, 8, false)));
  EXPECT_THAT(choose(22),
              ElementsAre(is(answer, 1, true), is(other_answer, 1, true), is(prompt, 20, true)));
}

TEST_F(BatchTest, TheLastRowOfAPromptIsARowLikeAnAnswers) {
  Sequence* prompt = add(20, 19);
  Sequence* single = add(1, 0);
  EXPECT_THAT(choose(2), ElementsAre(is(prompt, 1, true), is(single, 1, true)));
}

TEST_F(BatchTest, AScoredPromptGetsTheLogitRowsThatAreLeft) {
  const auto logit_rows = [](const std::vector<BatchSegment>& batch) {
    std::vector<int64_t> rows;
    for (const BatchSegment& segment : batch) {
      rows.push_back(segment.logit_rows);
    }
    return rows;
  };
  Sequence* scored = add(20, 0);
  Sequence* answer = add(9, 8);
  Sequence* prompt = add(10, 0);
  scored->scores_prompt = true;
  // Of 8 logit rows the answer and the prompt have one each.
  EXPECT_THAT(choose(40),
              ElementsAre(is(answer, 1, true), is(scored, 6, false), is(prompt, 10, true)));
  EXPECT_THAT(logit_rows(choose(40)), ElementsAre(1, 6, 1));
  EXPECT_THAT(choose(4), ElementsAre(is(answer, 1, true), is(scored, 3, false)));
  EXPECT_THAT(logit_rows(choose(4)), ElementsAre(1, 3));
  prompt->scores_prompt = true;
  EXPECT_THAT(logit_rows(choose(40)), ElementsAre(1, 6, 1));
}

}  // namespace
}  // namespace invar
