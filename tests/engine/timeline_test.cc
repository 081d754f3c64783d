// Appends cut in different ways, truncation and forks give the logits of the prefix and no other.
#include "engine/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/error.h"
#include "engine/fake_runner.h"

namespace invar {
namespace {

using testing::HasSubstr;

constexpr int64_t kVocabulary = 40;

std::vector<int32_t> random_ids(int64_t count) {
  std::mt19937 random(5);
  std::vector<int32_t> ids(count);
  for (int32_t& id : ids) {
    id = static_cast<int32_t>(random() % kVocabulary);
  }
  return ids;
}

// The rows of all prefixes of `ids`, by the runner's definition.
std::vector<float> expected_rows(std::span<const int32_t> ids) {
  std::vector<float> rows;
  for (size_t i = 1; i <= ids.size(); ++i) {
    const std::vector<float> row = FakeRunner::logits_after(ids.first(i), kVocabulary);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return rows;
}

std::string error_of(const std::function<void()>& action, Code code) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(Timeline, CutsAnAppendByTheLimits) {
  FakeRunner runner(
      {.context_positions = 300, .kv_blocks = 10, .rows_max = 32, .logit_rows_max = 10},
      kVocabulary);
  const std::vector<int32_t> ids = random_ids(100);
  Timeline all(runner);
  EXPECT_EQ(all.append({.token_ids = ids, .rows = LogitRows::kAll}), expected_rows(ids));
  EXPECT_EQ(runner.passes, 10);
  EXPECT_EQ(all.positions(), 100);

  Timeline last(runner);
  EXPECT_EQ(last.append({.token_ids = ids}), FakeRunner::logits_after(ids, kVocabulary));
  EXPECT_EQ(runner.passes, 14);
  EXPECT_TRUE(last.append({.token_ids = ids, .rows = LogitRows::kNone}).empty());
}

TEST(Timeline, PiecesDoNotChangeTheRows) {
  FakeRunner runner({.context_positions = 300, .kv_blocks = 20, .logit_rows_max = 100},
                    kVocabulary);
  const std::vector<int32_t> ids = random_ids(100);
  for (const std::vector<int64_t>& pieces :
       {std::vector<int64_t>{100}, {1, 99}, {63, 1, 36}, {64, 36}, {30, 35, 35}}) {
    Timeline timeline(runner);
    EXPECT_EQ(timeline.append({.token_ids = ids, .pieces = pieces, .rows = LogitRows::kAll}),
              expected_rows(ids));
  }
}

TEST(Timeline, TellsTheSinkThePositions) {
  FakeRunner runner({.context_positions = 100, .logit_rows_max = 100}, kVocabulary);
  const std::vector<int32_t> ids = random_ids(10);
  Timeline timeline(runner);
  std::vector<int64_t> positions;
  const auto sink = [&](int64_t position, std::span<const float> logits) {
    positions.push_back(position);
    EXPECT_EQ(logits.size(), static_cast<size_t>(kVocabulary));
  };
  timeline.append({.token_ids = std::span(ids).first(4)}, sink);
  timeline.append({.token_ids = std::span(ids).subspan(4, 3), .rows = LogitRows::kAll}, sink);
  EXPECT_THAT(positions, testing::ElementsAre(3, 4, 5, 6));
}

TEST(Timeline, TruncatedAndForkedLinesKeepTheirOwnPrefix) {
  FakeRunner runner({.context_positions = 200, .kv_blocks = 10}, kVocabulary);
  const std::vector<int32_t> ids = random_ids(150);
  Timeline timeline(runner);
  timeline.append({.token_ids = std::span(ids).first(100)});
  Timeline sibling = timeline.fork();
  std::vector<int32_t> other(ids.begin(), ids.begin() + 100);
  other.push_back(7);
  EXPECT_EQ(sibling.append({.token_ids = std::span(other).subspan(100)}),
            FakeRunner::logits_after(other, kVocabulary));
  EXPECT_EQ(timeline.append({.token_ids = std::span(ids).subspan(100)}),
            FakeRunner::logits_after(ids, kVocabulary));

  timeline.truncate(70);
  EXPECT_EQ(timeline.positions(), 70);
  EXPECT_EQ(timeline.append({.token_ids = std::span(ids).subspan(70, 1)}),
            FakeRunner::logits_after(std::span(ids).first(71), kVocabulary));
  other.push_back(8);
  EXPECT_EQ(sibling.append({.token_ids = std::span(other).subspan(101)}),
            FakeRunner::logits_after(other, kVocabulary));
}

TEST(Timeline, RunsPassesTheWayThatTheCallerWants) {
  FakeRunner runner({.context_positions = 100, .rows_max = 8}, kVocabulary);
  const std::vector<int32_t> ids = random_ids(20);
  int passes = 0;
  Timeline timeline(runner);
  const std::vector<float> row = timeline.append({.token_ids = ids, .run = [&] {
                                                    passes += 1;
                                                    runner.run();
                                                  }});
  EXPECT_EQ(row, FakeRunner::logits_after(ids, kVocabulary));
  EXPECT_EQ(passes, 3);
}

TEST(Timeline, RefusesWhatDoesNotFit) {
  FakeRunner runner({.context_positions = 200, .kv_blocks = 2}, kVocabulary);
  const std::vector<int32_t> ids = random_ids(201);
  Timeline timeline(runner);
  EXPECT_THAT(error_of([&] { timeline.append({.token_ids = ids}); }, Code::kBadArgument),
              HasSubstr("0 positions and 201 more do not fit in 200"));
  EXPECT_THAT(error_of([&] { timeline.append({.token_ids = std::span(ids).first(129)}); },
                       Code::kExhausted),
              HasSubstr("3 kv_blocks needed, 2 of 2 free"));
  const std::vector<int32_t> wrong = {3, kVocabulary};
  EXPECT_THAT(error_of([&] { timeline.append({.token_ids = wrong}); }, Code::kBadArgument),
              HasSubstr("expected 0 to 39, found 40"));
  const std::vector<int32_t> negative = {-1};
  EXPECT_THAT(error_of([&] { timeline.append({.token_ids = negative}); }, Code::kBadArgument),
              HasSubstr("found -1"));
  EXPECT_EQ(timeline.positions(), 0);
  timeline.append({.token_ids = std::span(ids).first(128)});
  EXPECT_EQ(timeline.positions(), 128);
}

TEST(PassRunner, RefusesLimitsThatAreNotPositive) {
  EXPECT_THAT(error_of([] { FakeRunner({.context_positions = 0}, 5); }, Code::kBadArgument),
              HasSubstr("context: expected 1 to 1073741824, found 0"));
  EXPECT_THAT(error_of([] { FakeRunner({.rows_max = -1}, 5); }, Code::kBadArgument),
              HasSubstr("rows of a pass"));
  EXPECT_THAT(error_of([] { FakeRunner({.segments_max = 0}, 5); }, Code::kBadArgument),
              HasSubstr("segments of a pass"));
  EXPECT_THAT(error_of([] { FakeRunner({.logit_rows_max = 0}, 5); }, Code::kBadArgument),
              HasSubstr("logit rows"));
  EXPECT_THAT(error_of([] { FakeRunner({.kv_blocks = -1}, 5); }, Code::kBadArgument),
              HasSubstr("kv_blocks: expected 1"));
}

TEST(PassRunner, RefusesLessRecurrentStateThanOneSequenceNeeds) {
  EXPECT_THAT(error_of([] { FakeRunner({.state_pages = 2}, 5); }, Code::kBadArgument),
              HasSubstr("state_pages: expected 3 to 1073741824, found 2"));
  EXPECT_THAT(error_of([] { FakeRunner({.row_blocks = -1}, 5); }, Code::kBadArgument),
              HasSubstr("row_blocks: expected 3 to"));
}

TEST(PassRunner, HoldsRecurrentStateForASegmentsSequencesUnlessToldOtherwise) {
  FakeRunner runner({.context_positions = 65, .row_blocks = 7, .segments_max = 5}, 5,
                    FakeState::kPagedAndRecurrent);
  EXPECT_EQ(runner.state_memory().counts(),
            StateCounts::of({.kv_blocks = 2, .state_pages = 15, .row_blocks = 7}));
  FakeRunner paged({.context_positions = 65, .segments_max = 5}, 5);
  EXPECT_EQ(paged.state_memory().counts(), StateCounts::of({.kv_blocks = 2}));
  EXPECT_FALSE(paged.state_memory().has_recurrent_state());
}

TEST(PassRunner, HoldsOneContextUnlessToldOtherwise) {
  FakeRunner runner({.context_positions = 65}, 5);
  EXPECT_EQ(runner.kv_block_pool().count(), 2);
  EXPECT_EQ(runner.limits().kv_blocks_max, 2);
}

}  // namespace
}  // namespace invar
