// Rotary positions of three streams through whole passes: text has the bits of one position, and
// where the streams differ a row still does not depend on how its sequence was cut or on strangers.
#include <gtest/gtest.h>

#include "backend/registry.h"
#include "program/executor.h"
#include "program/pass_tables.h"
#include "program/small_model.h"

namespace invar {
namespace {

constexpr int64_t kRows = 40;
constexpr int32_t kKvBlock[] = {1};
constexpr int32_t kStrangersKvBlock[] = {0};

// A model with memory for two sequences of one kv_block.
class StreamedModel {
 public:
  explicit StreamedModel(const RopeSections& sections)
      : model_({.format = WeightFormat::kF32, .sections = sections}) {}

  // The logits of all rows, computed in pieces of these lengths, each behind a stranger's row of
  // text if there is one.
  std::vector<float> logits(const std::vector<PositionStreams>& streams,
                            const std::vector<int64_t>& pieces, bool stranger = false) {
    std::vector<float> all;
    int64_t done = 0;
    for (const int64_t rows : pieces) {
      std::vector<int32_t> tokens;
      for (int64_t row = done; row < done + rows; ++row) {
        tokens.push_back(static_cast<int32_t>(row * 7 % SmallModel::kVocabulary));
      }
      tables_.clear();
      if (stranger) {
        const int32_t token[] = {3};
        tables_.add({.token_ids = token, .first_position = done, .kv_blocks = kStrangersKvBlock});
      }
      PassSegment segment{
          .token_ids = tokens, .first_position = done, .kv_blocks = kKvBlock, .logit_rows = rows};
      if (!streams.empty()) {
        segment.position_streams = std::span(streams).subspan(done, rows);
      }
      tables_.add(segment);
      tables_.poison_unused();
      executor_.run();
      const auto* logits = executor_.logits().row<float>(0);
      all.insert(all.end(), logits, logits + rows * SmallModel::kVocabulary);
      done += rows;
    }
    EXPECT_EQ(done, kRows);
    return all;
  }

 private:
  std::vector<TensorView> state_views() {
    std::vector<TensorView> views;
    for (const StateBufferInfo& info : model_.program.state_buffers) {
      state_.emplace_back(2 * info.columns);
      views.push_back(dense_view(state_.back().data(), info.dtype, 2, info.columns));
    }
    return views;
  }

  SmallModel model_;
  std::vector<std::vector<float>> state_;
  PassTables tables_{
      {.rows_max = kRows + 1, .segments_max = 2, .logit_rows_max = kRows, .kv_blocks_max = 1}};
  ThreadTeam team_{2};
  std::unique_ptr<Backend> backend_ = make_cpu_backend("");
  Executor executor_{{.program = &model_.program,
                      .backend = backend_.get(),
                      .team = &team_,
                      .state_buffers = state_views(),
                      .tables = &tables_}};
};

// 10 rows of text, an image of 4 x 5 pieces at one time, and text behind its largest position.
std::vector<PositionStreams> streams_with_an_image() {
  std::vector<PositionStreams> streams;
  for (int32_t row = 0; row < kRows; ++row) {
    const int32_t piece = row - 10;
    const int32_t text = row < 10 ? row : 15 + (row - 30);
    streams.push_back(piece >= 0 && piece < 20 ? PositionStreams{10, 10 + piece / 5, 10 + piece % 5}
                                               : PositionStreams{text, text, text});
  }
  return streams;
}

TEST(PositionStreams, TextHasTheBitsOfOnePosition) {
  StreamedModel one({});
  StreamedModel three({4, 2, 2});
  const std::vector<float> logits = one.logits({}, {kRows});
  EXPECT_EQ(three.logits({}, {kRows}), logits);
  EXPECT_EQ(three.logits({}, {1, 30, 9}, true), logits);
}

TEST(PositionStreams, RowsDoNotDependOnTheirPasses) {
  StreamedModel model({4, 2, 2});
  const std::vector<PositionStreams> streams = streams_with_an_image();
  const std::vector<float> logits = model.logits(streams, {kRows});
  EXPECT_NE(logits, model.logits({}, {kRows}));
  EXPECT_EQ(model.logits(streams, {13, 1, 20, 6}), logits);
  EXPECT_EQ(model.logits(streams, std::vector<int64_t>(kRows, 1)), logits);
  EXPECT_EQ(model.logits(streams, {9, 22, 9}, true), logits);
}

// Each stream counts: another height or width alone changes the rows from there on, and no earlier.
TEST(PositionStreams, EveryStreamTurnsItsPairs) {
  StreamedModel model({4, 2, 2});
  const std::vector<PositionStreams> streams = streams_with_an_image();
  const std::vector<float> logits = model.logits(streams, {kRows});
  for (const size_t stream : {0, 1, 2}) {
    std::vector<PositionStreams> changed = streams;
    changed[17][stream] += 3;
    const std::vector<float> others = model.logits(changed, {kRows});
    const auto at = [&](const std::vector<float>& all, int64_t row) {
      const auto begin = all.begin() + row * SmallModel::kVocabulary;
      return std::vector<float>(begin, begin + SmallModel::kVocabulary);
    };
    EXPECT_EQ(at(others, 16), at(logits, 16));
    EXPECT_NE(at(others, 17), at(logits, 17)) << "stream " << stream;
    EXPECT_NE(at(others, 39), at(logits, 39)) << "stream " << stream;
  }
}

}  // namespace
}  // namespace invar
