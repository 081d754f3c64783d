// What a replay runs and hands out: which rows count as the prompt's, copies on write, poison.
#include "engine/law_replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "backend/registry.h"
#include "program/small_model.h"

namespace invar {
namespace {

using testing::ElementsAre;

LawStep pass(std::vector<LawSegment> segments) {
  return {.kind = LawStep::Kind::kPass, .segments = std::move(segments)};
}

class LawReplayTest : public testing::Test {
 protected:
  LawReplayTest() {
    for (int32_t i = 0; i < 100; ++i) {
      prompt_.push_back(i * 7 % 64);
    }
  }

  LawReplay replay(bool poison = false) {
    return LawReplay({.runner = &runner_, .prompt = prompt_, .poison = poison});
  }
  std::vector<int64_t> positions(LawReplay& replay, const LawSchedule& schedule) {
    std::vector<int64_t> seen;
    replay.run(schedule, [&](int64_t position, std::span<const float> logits) {
      EXPECT_EQ(logits.size(), 64u);
      seen.push_back(position);
    });
    return seen;
  }
  std::vector<int32_t> last_token_ids() {
    const TensorView view = runner_.tables().view(PassTable::kTokenIds);
    return {view.row<int32_t>(0), view.row<int32_t>(0) + view.rows};
  }

  SmallModel model_;
  std::unique_ptr<Backend> backend_ = make_cpu_backend("");
  ThreadTeam team_{1};
  Runner runner_{{.program = &model_.program, .backend = backend_.get(), .team = &team_},
                 {.context_positions = 200, .kv_blocks = 8, .logit_rows_max = 512}};
  std::vector<int32_t> prompt_;
};

TEST_F(LawReplayTest, HandsOutRowsWithNothingButThePromptBefore) {
  LawReplay replay = this->replay();
  LawSchedule schedule{
      {pass({{.sequence = 1, .other_rows = 2, .stream = 1}, {.sequence = 0, .prompt_rows = 3}}),
       pass({{.sequence = 0, .prompt_rows = 1, .other_rows = 2, .stream = 2}}),
       pass({{.sequence = 0, .prompt_rows = 2}}),  // after wrong tokens
       {.kind = LawStep::Kind::kTruncate, .sequence = 0, .positions = 2},
       pass({{.sequence = 0, .prompt_rows = 2}})}};
  EXPECT_THAT(positions(replay, schedule), ElementsAre(0, 1, 2, 3, 2, 3));
  EXPECT_THAT(last_token_ids(), ElementsAre(prompt_[2], prompt_[3]));
  EXPECT_EQ(runner_.kv_block_pool().held_count(), 0);
}

TEST_F(LawReplayTest, OtherTokensDifferFromThePrompt) {
  LawReplay replay = this->replay();
  std::vector<std::vector<int32_t>> streams;
  for (const int stream : {1, 2}) {
    positions(replay, {{pass({{.sequence = 0, .other_rows = 100, .stream = stream}})}});
    streams.push_back(last_token_ids());
    for (size_t i = 0; i < prompt_.size(); ++i) {
      EXPECT_NE(streams.back()[i], prompt_[i]);
    }
  }
  EXPECT_NE(streams[0], streams[1]);
}

TEST_F(LawReplayTest, CountsCopiesOfSharedKvBlocks) {
  LawReplay replay = this->replay();
  const LawSchedule schedule{
      {pass({{.sequence = 0, .prompt_rows = 70}}),
       {.kind = LawStep::Kind::kFork, .sequence = 1, .from = 0, .positions = 65},
       pass({{.sequence = 1, .prompt_rows = 2}, {.sequence = 0, .prompt_rows = 1}})}};
  EXPECT_EQ(std::ssize(positions(replay, schedule)), 73);
  EXPECT_EQ(replay.copied()[StateUnit::kKvBlock], 1);
  // A fork at a border shares nothing that is written.
  positions(replay, {{pass({{.sequence = 0, .prompt_rows = 70}}),
                      {.kind = LawStep::Kind::kFork, .sequence = 1, .from = 0, .positions = 64},
                      pass({{.sequence = 1, .prompt_rows = 2}})}});
  EXPECT_EQ(replay.copied()[StateUnit::kKvBlock], 1);
}

TEST_F(LawReplayTest, PoisonsWhatNobodyWrote) {
  LawReplay replay = this->replay(/*poison=*/true);
  bool checked = false;
  replay.run({{pass({{.sequence = 0, .prompt_rows = 5}})}},
             [&](int64_t position, std::span<const float> logits) {
               EXPECT_FALSE(std::isnan(logits[0]));
               if (position > 0) {
                 return;
               }
               checked = true;
               const auto kv_block = *runner_.tables().view(PassTable::kBlockTable).row<int32_t>(0);
               // Values: [kv_heads][64][head_dim].
               const auto* values = runner_.state_storage().buffers()[1].row<float>(kv_block);
               for (int64_t place = 0; place < kKvBlockRows; ++place) {
                 EXPECT_EQ(std::isnan(values[place * SmallModel::kHeadDim]), place >= 5) << place;
               }
               EXPECT_LT(runner_.tables().view(PassTable::kTokenIds).row<int32_t>(0)[5], 0);
             });
  EXPECT_TRUE(checked);
  // A kv_block that another sequence has used is poisoned again.
  const LawSchedule again{{pass({{.sequence = 0, .prompt_rows = 64}}),
                           {.kind = LawStep::Kind::kDrop, .sequence = 0},
                           pass({{.sequence = 1, .prompt_rows = 1}})}};
  int64_t rows = 0;
  replay.run(again, [&](int64_t /*position*/, std::span<const float> /*logits*/) {
    rows += 1;
    if (rows == 65) {
      const auto kv_block = *runner_.tables().view(PassTable::kBlockTable).row<int32_t>(0);
      const auto* values = runner_.state_storage().buffers()[1].row<float>(kv_block);
      EXPECT_FALSE(std::isnan(values[0]));
      EXPECT_TRUE(std::isnan(values[SmallModel::kHeadDim]));
    }
  });
  EXPECT_EQ(rows, 65);
}

TEST_F(LawReplayTest, HashedPassesNamePositions) {
  LawReplay replay = this->replay();
  std::vector<std::vector<int64_t>> rows;
  std::vector<std::vector<int64_t>> logit_rows;
  const LawSchedule schedule{
      {pass({{.sequence = 1, .other_rows = 2, .stream = 1}, {.sequence = 0, .prompt_rows = 2}}),
       pass({{.sequence = 0, .prompt_rows = 1, .other_rows = 1, .stream = 1}})}};
  replay.run_hashed(schedule, [&](const LawReplay::HashedPass& hashed) {
    rows.emplace_back(hashed.row_positions.begin(), hashed.row_positions.end());
    logit_rows.emplace_back(hashed.logit_row_positions.begin(), hashed.logit_row_positions.end());
    EXPECT_EQ(hashed.digests.front().row_digests.size(), rows.back().size());
    EXPECT_EQ(hashed.digests.back().row_digests.size(), logit_rows.back().size());
  });
  EXPECT_THAT(rows, ElementsAre(ElementsAre(-1, -1, 0, 1), ElementsAre(2, -1)));
  // Of a stranger one row, as an engine would ask.
  EXPECT_THAT(logit_rows, ElementsAre(ElementsAre(-1, 0, 1), ElementsAre(2, -1)));
}

TEST_F(LawReplayTest, EveryRowComesWithItsTokens) {
  LawReplay replay = this->replay();
  std::vector<std::tuple<int64_t, int64_t, int64_t>> rows;  // step, position, tokens
  const LawSchedule schedule{
      {pass({{.sequence = 1, .other_rows = 2, .stream = 1}, {.sequence = 0, .prompt_rows = 2}}),
       {.kind = LawStep::Kind::kEvict, .sequence = 1, .rows = 1}}};
  replay.run_rows(schedule, [&](const LawReplay::Row& row) {
    rows.emplace_back(row.step, row.position, std::ssize(row.token_ids));
    EXPECT_EQ(row.logits.size(), 64u);
  });
  using Row = std::tuple<int64_t, int64_t, int64_t>;
  EXPECT_THAT(rows, ElementsAre(Row{0, 0, 2}, Row{0, 1, 2}, Row{0, 0, 2}, Row{0, 1, 2},
                                Row{1, 0, 2}, Row{1, 1, 2}));
}

TEST_F(LawReplayTest, ComparesWithOtherTokensThanThePrompt) {
  LawReplay plain = this->replay();
  positions(plain, {{pass({{.sequence = 0, .prompt_rows = 2, .other_rows = 2, .stream = 3}})}});
  const std::vector<int32_t> astray = last_token_ids();
  LawReplay replay({.runner = &runner_, .prompt = prompt_, .compared = astray});
  EXPECT_THAT(positions(replay, {{pass({{.sequence = 0, .prompt_rows = 3}}),
                                  {.kind = LawStep::Kind::kTruncate, .sequence = 0, .positions = 2},
                                  pass({{.sequence = 0, .other_rows = 3, .stream = 3}})}}),
              ElementsAre(0, 1, 2, 3));
}

TEST_F(LawReplayTest, SnapshotsOutliveTheirSequence) {
  LawReplay replay = this->replay();
  using Kind = LawStep::Kind;
  EXPECT_THAT(
      positions(replay, {{pass({{.sequence = 0, .prompt_rows = 70}}),
                          {.kind = Kind::kSnapshot, .sequence = 0, .snapshot = 2, .positions = 65},
                          pass({{.sequence = 0, .other_rows = 3, .stream = 1}}),
                          {.kind = Kind::kDrop, .sequence = 0},
                          {.kind = Kind::kResume, .sequence = 5, .snapshot = 2},
                          {.kind = Kind::kForget, .snapshot = 2},
                          pass({{.sequence = 5, .prompt_rows = 1}})}})
          .back(),
      65);
  EXPECT_EQ(replay.referenced()[StateUnit::kKvBlock], 4);
  EXPECT_EQ(runner_.kv_block_pool().held_count(), 0);
}

TEST_F(LawReplayTest, PoisonsWhatWasGivenBack) {
  LawReplay replay = this->replay(/*poison=*/true);
  int32_t kv_block = -1;
  replay.run({{pass({{.sequence = 0, .prompt_rows = 64}}),
               {.kind = LawStep::Kind::kDrop, .sequence = 0},
               pass({{.sequence = 1, .prompt_rows = 65}}),
               {.kind = LawStep::Kind::kTruncate, .sequence = 1, .positions = 64},
               pass({{.sequence = 2, .prompt_rows = 1}})}},
             [&](int64_t position, std::span<const float> /*logits*/) {
               if (position == 64) {
                 kv_block = runner_.tables().view(PassTable::kBlockTable).row<int32_t>(0)[1];
               }
             });
  ASSERT_GE(kv_block, 0);
  EXPECT_TRUE(std::isnan(runner_.state_storage().buffers()[1].row<float>(kv_block)[5 * 16]));
}

TEST_F(LawReplayTest, ReportsProgress) {
  std::vector<int64_t> rows;
  LawReplay replay(
      {.runner = &runner_, .prompt = prompt_, .poison = false, .progress = [&](int64_t count) {
         rows.push_back(count);
       }});
  positions(replay, {{pass({{.sequence = 0, .prompt_rows = 5}}),
                      pass({{.sequence = 0, .prompt_rows = 1, .other_rows = 1, .stream = 1}})}});
  EXPECT_THAT(rows, ElementsAre(5, 2));
}

}  // namespace
}  // namespace invar
