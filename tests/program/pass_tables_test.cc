// What the tables of a ragged pass contain, and what their unused parts do.
#include "program/pass_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace invar {
namespace {

using testing::ElementsAre;

constexpr PassLimits kLimits{
    .rows_max = 8, .segments_max = 3, .logit_rows_max = 4, .kv_blocks_max = 3};

std::vector<int32_t> column(const PassTables& tables, PassTable table) {
  const TensorView view = tables.view(table);
  EXPECT_EQ(view.columns, 1);
  EXPECT_EQ(view.dtype, DType::kI32);
  std::vector<int32_t> values;
  for (int64_t row = 0; row < view.rows; ++row) {
    values.push_back(*view.row<int32_t>(row));
  }
  return values;
}

// Fills two segments: three rows from position 63, of which two want logits, and one at 0.
void fill(PassTables& tables) {
  const int32_t first[] = {11, 12, 13};
  const int32_t first_kv_blocks[] = {7, 4};
  tables.add(
      {.token_ids = first, .first_position = 63, .kv_blocks = first_kv_blocks, .logit_rows = 2});
  const int32_t second[] = {21};
  const int32_t second_kv_blocks[] = {5};
  tables.add(
      {.token_ids = second, .first_position = 0, .kv_blocks = second_kv_blocks, .logit_rows = 0});
}

TEST(PassTables, DescribeSegments) {
  PassTables tables(kLimits);
  fill(tables);
  EXPECT_EQ(tables.shape(), (PassShape{.rows = 4, .segments = 2, .logit_rows = 2}));
  EXPECT_THAT(column(tables, PassTable::kTokenIds), ElementsAre(11, 12, 13, 21));
  EXPECT_THAT(column(tables, PassTable::kPositions), ElementsAre(63, 64, 65, 0));
  EXPECT_THAT(column(tables, PassTable::kRowSegment), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(column(tables, PassTable::kCuRows), ElementsAre(0, 3, 4));
  EXPECT_THAT(column(tables, PassTable::kLogitRows), ElementsAre(1, 2));
  const TensorView kv_blocks = tables.view(PassTable::kBlockTable);
  EXPECT_EQ(kv_blocks.rows, 2);
  EXPECT_EQ(kv_blocks.columns, 3);
  EXPECT_EQ(kv_blocks.row<int32_t>(0)[0], 7);
  EXPECT_EQ(kv_blocks.row<int32_t>(0)[1], 4);
  EXPECT_EQ(kv_blocks.row<int32_t>(1)[0], 5);
}

TEST(PassTables, ClearStartsAnotherPassAtTheSameAddresses) {
  PassTables tables(kLimits);
  const void* token_ids = tables.view(PassTable::kTokenIds).data;
  const void* kv_blocks = tables.view(PassTable::kBlockTable).data;
  fill(tables);
  tables.clear();
  EXPECT_EQ(tables.shape(), PassShape{});
  const int32_t token[] = {31};
  const int32_t kv_block[] = {2};
  tables.add({.token_ids = token, .first_position = 9, .kv_blocks = kv_block, .logit_rows = 1});
  EXPECT_THAT(column(tables, PassTable::kTokenIds), ElementsAre(31));
  EXPECT_THAT(column(tables, PassTable::kPositions), ElementsAre(9));
  EXPECT_THAT(column(tables, PassTable::kCuRows), ElementsAre(0, 1));
  EXPECT_THAT(column(tables, PassTable::kLogitRows), ElementsAre(0));
  EXPECT_EQ(tables.view(PassTable::kTokenIds).data, token_ids);
  EXPECT_EQ(tables.view(PassTable::kBlockTable).data, kv_blocks);
}

TEST(PassTables, PoisonFillsWhatIsUnusedAndNothingElse) {
  PassTables tables(kLimits);
  fill(tables);
  const auto token_ids = column(tables, PassTable::kTokenIds);
  const auto positions = column(tables, PassTable::kPositions);
  tables.poison_unused();
  EXPECT_EQ(column(tables, PassTable::kTokenIds), token_ids);
  EXPECT_EQ(column(tables, PassTable::kPositions), positions);
  EXPECT_THAT(column(tables, PassTable::kCuRows), ElementsAre(0, 3, 4));
  EXPECT_THAT(column(tables, PassTable::kLogitRows), ElementsAre(1, 2));
  // Beyond the rows.
  const auto poison = tables.view(PassTable::kTokenIds).row<int32_t>(0)[4];
  EXPECT_LT(poison, 0);
  EXPECT_EQ(tables.view(PassTable::kTokenIds).row<int32_t>(0)[7], poison);
  EXPECT_EQ(tables.view(PassTable::kPositions).row<int32_t>(0)[4], poison);
  EXPECT_EQ(tables.view(PassTable::kRowSegment).row<int32_t>(0)[4], poison);
  EXPECT_EQ(tables.view(PassTable::kCuRows).row<int32_t>(0)[3], poison);
  EXPECT_EQ(tables.view(PassTable::kLogitRows).row<int32_t>(0)[2], poison);
  // Of a segment's own row of kv_blocks, what lies past its last position.
  const auto* kv_blocks = tables.view(PassTable::kBlockTable).row<int32_t>(0);
  const std::vector<int32_t> entries(kv_blocks, kv_blocks + 9);
  EXPECT_THAT(entries, ElementsAre(7, 4, poison, 5, poison, poison, poison, poison, poison));
}

TEST(PassTables, PoisonCoversKvBlocksOfLaterPasses) {
  // A table may already hold kv_blocks of positions that later passes write.
  PassTables tables(kLimits);
  const int32_t token[] = {1};
  const int32_t kv_blocks[] = {0, 1, 2};
  tables.add({.token_ids = token, .first_position = 63, .kv_blocks = kv_blocks, .logit_rows = 0});
  tables.poison_unused();
  const auto* entries = tables.view(PassTable::kBlockTable).row<int32_t>(0);
  EXPECT_EQ(entries[0], 0);
  EXPECT_LT(entries[1], 0);
  EXPECT_LT(entries[2], 0);
}

TEST(PassTables, RecurrentEntriesAndWriteBordersAreKeptPerSegment) {
  PassTables tables(kLimits);
  std::vector<int32_t> tokens(3, 1);
  const int32_t kv_blocks[] = {0, 1};
  const int32_t pages[] = {-1, 4, 9};
  const int32_t row_blocks[] = {6, 7};
  tables.add({.token_ids = tokens,
              .first_position = 62,
              .kv_blocks = kv_blocks,
              .state_pages = pages,
              .row_blocks = row_blocks,
              .kv_write_from = 64});
  tables.add(
      {.token_ids = std::span(tokens).first(1), .first_position = 0, .kv_blocks = kv_blocks});
  EXPECT_THAT(column(tables, PassTable::kKvWriteFrom), ElementsAre(64, 0));
  const int64_t width = kLimits.chunk_entries_max();
  const auto entries = [&](PassTable table, int64_t segment) {
    const auto* row = tables.view(table).row<int32_t>(segment);
    return std::vector<int32_t>(row, row + width);
  };
  tables.poison_unused();
  const int32_t poison = tables.view(PassTable::kKvWriteFrom).row<int32_t>(0)[2];
  EXPECT_LT(poison, -1);
  // The rows end in the second chunk, so they reach boundaries 0 and 1.
  EXPECT_THAT(entries(PassTable::kStatePages, 0), ElementsAre(-1, 4, poison));
  EXPECT_THAT(entries(PassTable::kRowBlocks, 0), ElementsAre(6, 7, poison));
  EXPECT_THAT(entries(PassTable::kStatePages, 1), ElementsAre(poison, poison, poison));
  EXPECT_THAT(entries(PassTable::kRowBlocks, 2), ElementsAre(poison, poison, poison));
}

// Text turns by its positions; other segments say what theirs turn by.
TEST(PassTables, HaveThreePositionStreams) {
  PassTables tables(kLimits);
  const int32_t tokens[] = {1, 2};
  const int32_t kv_blocks[] = {0};
  tables.add({.token_ids = tokens, .first_position = 7, .kv_blocks = kv_blocks});
  const PositionStreams streams[] = {{9, 9, 10}, {9, 11, 9}};
  tables.add({.token_ids = tokens,
              .first_position = 20,
              .kv_blocks = kv_blocks,
              .position_streams = streams});
  EXPECT_THAT(column(tables, PassTable::kPositions), ElementsAre(7, 8, 20, 21));
  tables.poison_unused();
  const TensorView view = tables.view(PassTable::kPositionStreams);
  EXPECT_EQ(view.rows, 4);
  EXPECT_EQ(view.columns, 3);
  const auto* values = view.row<int32_t>(0);
  const int32_t poison = tables.view(PassTable::kPositions).row<int32_t>(0)[4];
  EXPECT_THAT(std::vector<int32_t>(values, values + 15),
              ElementsAre(7, 7, 7, 8, 8, 8, 9, 9, 10, 9, 11, 9, poison, poison, poison));
}

TEST(PassTablesDeathTest, StreamsAreOfEveryRow) {
  PassTables tables(kLimits);
  const int32_t tokens[] = {1, 2};
  const int32_t kv_blocks[] = {0};
  const PositionStreams streams[] = {{0, 0, 0}};
  EXPECT_DEATH(tables.add({.token_ids = tokens,
                           .first_position = 0,
                           .kv_blocks = kv_blocks,
                           .position_streams = streams}),
               "streams of 1 rows");
}

TEST(PassTablesDeathTest, LimitsAreTheCallers) {
  PassTables tables(kLimits);
  std::vector<int32_t> tokens(9);
  const int32_t kv_blocks[] = {0, 1, 2, 3};
  const auto add = [&](int64_t rows, int64_t position, int64_t kv_block_count, int64_t logit_rows) {
    tables.add({.token_ids = std::span(tokens).first(rows),
                .first_position = position,
                .kv_blocks = std::span(kv_blocks).first(kv_block_count),
                .logit_rows = logit_rows});
  };
  EXPECT_DEATH(add(9, 0, 1, 0), "0 \\+ 9 rows");
  EXPECT_DEATH(add(0, 0, 1, 0), "rows > 0");
  EXPECT_DEATH(add(1, -1, 1, 0), "first_position >= 0");
  EXPECT_DEATH(add(2, 0, 1, 3), "logit_rows <= rows");
  EXPECT_DEATH(add(5, 0, 1, 5), "logit_rows_max");
  EXPECT_DEATH(add(1, 0, 4, 0), "kv_blocks_max");
  EXPECT_DEATH(add(2, 63, 1, 0), "1 kv_blocks for 65 positions");
  for (int segment = 0; segment < 3; ++segment) {
    add(1, 0, 1, 0);
  }
  EXPECT_DEATH(add(1, 0, 1, 0), "3 segments");
}

}  // namespace
}  // namespace invar
