// Which pages and row_blocks a sequence holds after each verb, and which of them passes may write.
#include "cache/recurrent_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cache/chunk_rows.h"

namespace invar {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<int32_t> list(std::span<const int32_t> ids) {
  return {ids.begin(), ids.end()};
}

class RecurrentTableTest : public testing::Test {
 protected:
  static constexpr int64_t kPages = 8;
  static constexpr int64_t kRowBlocks = 6;

  // Appends rows that are accepted at once, in one pass.
  static void append(RecurrentTable& table, int64_t rows) {
    const int64_t end = table.positions() + rows;
    ASSERT_TRUE(table.prepare_write({.end = end, .accept_to = end}));
    table.advance(rows);
  }
  static void append_drafts(RecurrentTable& table, int64_t rows) {
    ASSERT_TRUE(
        table.prepare_write({.end = table.positions() + rows, .accept_to = table.accepted()}));
    table.advance(rows);
  }
  int64_t pages_held() const { return memory_.pool(StateUnit::kStatePage).held_count(); }
  int64_t row_blocks_held() const { return memory_.pool(StateUnit::kRowBlock).held_count(); }

  StateMemory memory_{
      chunk_row_buffers(),
      StateCounts::of({.kv_blocks = 4, .state_pages = kPages, .row_blocks = kRowBlocks})};
};

TEST_F(RecurrentTableTest, AChunkNeedsARowBlockAndItsEndAPage) {
  RecurrentTable table(memory_);
  ASSERT_TRUE(table.prepare_write({.end = 63, .accept_to = 63}));
  EXPECT_THAT(list(table.state_pages(63)), ElementsAre(-1));
  EXPECT_THAT(list(table.row_blocks(63)), ElementsAre(0));
  table.advance(63);
  EXPECT_EQ(pages_held(), 0);

  ASSERT_TRUE(table.prepare_write({.end = 64, .accept_to = 64}));
  EXPECT_THAT(list(table.state_pages(1)), ElementsAre(-1, 0));
  EXPECT_THAT(list(table.row_blocks(1)), ElementsAre(0));
  table.advance(1);
  // The rows of a chunk that was accepted are needed no more.
  EXPECT_EQ(pages_held(), 1);
  EXPECT_EQ(row_blocks_held(), 0);
  EXPECT_EQ(memory_.pages_written(), 1);

  append(table, 1);
  EXPECT_EQ(row_blocks_held(), 1);
  ASSERT_TRUE(table.prepare_write({.end = 128, .accept_to = 128}));
  EXPECT_THAT(list(table.state_pages(63)), ElementsAre(0, 1));
  table.advance(63);
  EXPECT_THAT(table.owned(StateUnit::kStatePage), ElementsAre(1));
  EXPECT_EQ(memory_.storage().copied(), StateCounts());
}

TEST_F(RecurrentTableTest, ALongAppendTakesTwoPagesByTurns) {
  RecurrentTable table(memory_);
  append(table, 100);
  EXPECT_THAT(table.owned(StateUnit::kStatePage), ElementsAre(0));
  EXPECT_THAT(table.owned(StateUnit::kRowBlock), ElementsAre(1));
  const RecurrentTable::Write write{.end = 500, .accept_to = 500};
  EXPECT_EQ(table.units_needed(write), StateCounts::of({.state_pages = 2, .row_blocks = 2}));
  ASSERT_TRUE(table.prepare_write(write));
  // Neither the page nor the rows that the append starts from are among those that it writes.
  EXPECT_THAT(list(table.state_pages(400)), ElementsAre(0, 1, 2, 1, 2, 1, 2));
  EXPECT_THAT(list(table.row_blocks(400)), ElementsAre(1, 0, 2, 0, 2, 0, 2));
  EXPECT_EQ(pages_held(), kRecurrentUnitsMax);
  EXPECT_EQ(row_blocks_held(), kRecurrentUnitsMax);
  // Two passes: the second one's tables begin at its own first chunk.
  table.advance(200);
  EXPECT_EQ(table.accepted(), 300);
  EXPECT_THAT(list(table.state_pages(200)), ElementsAre(1, 2, 1, 2));
  EXPECT_THAT(list(table.row_blocks(200)), ElementsAre(0, 2, 0, 2));
  table.advance(200);
  EXPECT_EQ(pages_held(), 1);
  EXPECT_EQ(row_blocks_held(), 1);
  EXPECT_EQ(memory_.pages_written(), 7);
}

TEST_F(RecurrentTableTest, CapturedPagesAreTheirOwn) {
  RecurrentTable table(memory_);
  const int64_t captures[] = {128, 192, 384};
  const RecurrentTable::Write write{.end = 450, .accept_to = 450, .captures = captures};
  EXPECT_EQ(table.units_needed(write)[StateUnit::kStatePage], 5);
  ASSERT_TRUE(table.prepare_write(write));
  EXPECT_THAT(list(table.state_pages(450)), ElementsAre(-1, 0, 1, 2, 0, 3, 4, 0));
  table.advance(450);
  EXPECT_THAT(table.captured(), ElementsAre(128, 192, 384));
  EXPECT_THAT(table.owned(StateUnit::kStatePage), ElementsAre(0, 1, 2, 4));
  EXPECT_EQ(pages_held(), 4);
  table.release_capture(192);
  EXPECT_EQ(pages_held(), 3);
  EXPECT_DEATH(table.release_capture(192), "nothing was captured at 192");
}

TEST_F(RecurrentTableTest, RowsThatWaitKeepTheirPagesAndRows) {
  RecurrentTable table(memory_);
  append(table, 60);
  append_drafts(table, 140);  // ends at 200
  EXPECT_EQ(table.accepted(), 60);
  EXPECT_EQ(table.positions(), 200);
  EXPECT_THAT(table.owned(StateUnit::kStatePage), ElementsAre(0, 1, 2));
  EXPECT_THAT(table.owned(StateUnit::kRowBlock), ElementsAre(0, 1, 2, 3));
  table.accept(127);
  EXPECT_THAT(table.owned(StateUnit::kStatePage), ElementsAre(0, 1, 2));
  EXPECT_THAT(table.owned(StateUnit::kRowBlock), ElementsAre(1, 2, 3));
  // Page c and the rows of chunk c stay until 64 (c + 1) rows are accepted.
  table.accept(128);
  EXPECT_THAT(table.owned(StateUnit::kStatePage), ElementsAre(1, 2));
  EXPECT_THAT(table.owned(StateUnit::kRowBlock), ElementsAre(2, 3));
  // A rejection drops the provisional pages and nothing else.
  EXPECT_EQ(table.truncate(140), 140);
  EXPECT_THAT(table.owned(StateUnit::kStatePage), ElementsAre(1));
  EXPECT_THAT(table.owned(StateUnit::kRowBlock), ElementsAre(2));
  EXPECT_EQ(table.truncate(128), 128);
  EXPECT_THAT(table.owned(StateUnit::kRowBlock), IsEmpty());
  EXPECT_EQ(memory_.storage().copied(), StateCounts());
}

TEST_F(RecurrentTableTest, APartlyAcceptedAppendAlternatesInItsAcceptedPartOnly) {
  RecurrentTable table(memory_);
  ASSERT_TRUE(table.prepare_write({.end = 450, .accept_to = 320}));
  // Boundary 5 (320) is where the accepted part ends; it and those behind it stay.
  EXPECT_THAT(list(table.state_pages(450)), ElementsAre(-1, 0, 1, 0, 1, 0, 1, 2));
  table.advance(450);
  EXPECT_EQ(table.accepted(), 320);
  EXPECT_THAT(table.owned(StateUnit::kStatePage), ElementsAre(0, 1, 2));
  EXPECT_EQ(table.truncate(320), 320);
  EXPECT_THAT(table.owned(StateUnit::kStatePage), ElementsAre(0));
}

TEST_F(RecurrentTableTest, TruncatesInTheAcceptedChunkWithoutLoss) {
  RecurrentTable table(memory_);
  append(table, 100);
  EXPECT_EQ(table.truncate(65), 65);
  EXPECT_EQ(table.accepted(), 65);
  EXPECT_EQ(row_blocks_held(), 1);
  EXPECT_EQ(table.truncate(64), 64);
  EXPECT_EQ(pages_held(), 1);
  EXPECT_EQ(row_blocks_held(), 0);
}

TEST_F(RecurrentTableTest, TruncatesDeeperToTheDeepestKeptBoundary) {
  RecurrentTable table(memory_);
  const int64_t captures[] = {64, 192};
  ASSERT_TRUE(table.prepare_write({.end = 300, .accept_to = 300, .captures = captures}));
  table.advance(300);
  EXPECT_EQ(table.truncate(255), 192);
  EXPECT_THAT(table.captured(), ElementsAre(64, 192));
  EXPECT_EQ(table.accepted(), 192);
  ASSERT_TRUE(table.prepare_write({.end = 200, .accept_to = 200}));
  EXPECT_THAT(list(table.state_pages(8)), ElementsAre(table.owned(StateUnit::kStatePage)[0]));
  table.advance(8);
  EXPECT_EQ(table.truncate(191), 64);
  EXPECT_THAT(table.captured(), ElementsAre(64));
  EXPECT_EQ(table.truncate(63), 0);
  EXPECT_THAT(table.captured(), IsEmpty());
  EXPECT_EQ(pages_held(), 0);
  EXPECT_EQ(row_blocks_held(), 0);
  append(table, 1);
}

TEST_F(RecurrentTableTest, AForkCopiesOnlyTheOpenRowsOfWhoWritesFirst) {
  RecurrentTable table(memory_);
  append(table, 100);
  RecurrentTable sibling = table.fork();
  EXPECT_EQ(pages_held(), 1);
  EXPECT_EQ(row_blocks_held(), 1);
  EXPECT_EQ(sibling.units_needed({.end = 101, .accept_to = 101}),
            StateCounts::of({.row_blocks = 1}));
  append(sibling, 1);
  EXPECT_EQ(memory_.storage().copied(), StateCounts::of({.row_blocks = 1}));
  // The other is now the only owner, and writes in place.
  append(table, 1);
  EXPECT_EQ(memory_.storage().copied(), StateCounts::of({.row_blocks = 1}));
  EXPECT_NE(table.owned(StateUnit::kRowBlock), sibling.owned(StateUnit::kRowBlock));
  EXPECT_EQ(table.owned(StateUnit::kStatePage), sibling.owned(StateUnit::kStatePage));
  // Each writes its own page at the end of the chunk.
  append(table, 30);
  append(sibling, 30);
  EXPECT_NE(table.owned(StateUnit::kStatePage), sibling.owned(StateUnit::kStatePage));
  EXPECT_EQ(memory_.storage().copied()[StateUnit::kStatePage], 0);
}

TEST_F(RecurrentTableTest, AForkAtABoundaryCopiesNothing) {
  RecurrentTable table(memory_);
  append(table, 128);
  RecurrentTable sibling = table.fork();
  append(sibling, 70);
  append(table, 70);
  EXPECT_EQ(memory_.storage().copied(), StateCounts());
}

TEST_F(RecurrentTableTest, ASnapshotHoldsOnePageAndTheOpenRows) {
  RecurrentTable table(memory_);
  const int64_t captures[] = {128};
  ASSERT_TRUE(table.prepare_write({.end = 240, .accept_to = 240, .captures = captures}));
  table.advance(240);
  const auto open = table.snapshot(200);
  ASSERT_TRUE(open.has_value());
  EXPECT_EQ(open->positions(), 200);
  EXPECT_EQ(open->accepted(), 200);
  EXPECT_EQ(open->owned(StateUnit::kStatePage).size(), 1u);
  EXPECT_EQ(open->owned(StateUnit::kRowBlock), table.owned(StateUnit::kRowBlock));
  const auto last_boundary = table.snapshot(192);
  ASSERT_TRUE(last_boundary.has_value());
  EXPECT_THAT(last_boundary->owned(StateUnit::kRowBlock), IsEmpty());
  const auto captured = table.snapshot(128);
  ASSERT_TRUE(captured.has_value());
  EXPECT_NE(captured->owned(StateUnit::kStatePage), last_boundary->owned(StateUnit::kStatePage));
  const auto start = table.snapshot(0);
  ASSERT_TRUE(start.has_value());
  EXPECT_THAT(start->owned(StateUnit::kStatePage), IsEmpty());
  EXPECT_FALSE(table.snapshot(64).has_value());
  EXPECT_FALSE(table.snapshot(129).has_value());
  EXPECT_FALSE(table.snapshot(191).has_value());
  // A snapshot outlives what it was taken from.
  table = RecurrentTable(memory_);
  EXPECT_EQ(pages_held(), 2);
  EXPECT_EQ(row_blocks_held(), 1);
}

TEST_F(RecurrentTableTest, ASnapshotOfDraftsEndsAtItsOwnPage) {
  RecurrentTable table(memory_);
  append(table, 60);
  append_drafts(table, 80);
  const auto snapshot = table.snapshot(130);
  ASSERT_TRUE(snapshot.has_value());
  EXPECT_EQ(table.truncate(60), 60);
  EXPECT_EQ(pages_held(), 1);       // the snapshot's
  EXPECT_EQ(row_blocks_held(), 2);  // the snapshot's and the open one
}

TEST_F(RecurrentTableTest, SharingLetsGoOfPreparedRows) {
  RecurrentTable table(memory_);
  ASSERT_TRUE(table.prepare_write({.end = 450, .accept_to = 450}));
  table.advance(100);
  // Boundary 3 would have been written to the page that the snapshot holds now.
  const auto snapshot = table.snapshot(100);
  EXPECT_EQ(pages_held(), 1);
  EXPECT_DEATH(static_cast<void>(table.state_pages(1)), "of 100 prepared");
  ASSERT_TRUE(table.prepare_write({.end = 450, .accept_to = 450}));
  EXPECT_THAT(list(table.state_pages(350)), ElementsAre(0, 1, 2, 1, 2, 1, 2));
}

TEST_F(RecurrentTableTest, AnExhaustedPoolLosesNothing) {
  RecurrentTable table(memory_);
  append(table, 70);
  RecurrentTable other(memory_);
  append_drafts(other, 5 * 64);
  EXPECT_FALSE(table.prepare_write({.end = 200, .accept_to = 200}));
  EXPECT_EQ(table.positions(), 70);
  EXPECT_EQ(pages_held(), 6);
  EXPECT_EQ(row_blocks_held(), kRowBlocks);
  append(table, 50);
  RecurrentTable sibling = table.fork();
  EXPECT_FALSE(sibling.prepare_write({.end = 121, .accept_to = 121}));
  EXPECT_EQ(other.truncate(64), 64);
  append(sibling, 1);
}

TEST_F(RecurrentTableTest, MovesOwnership) {
  {
    RecurrentTable table(memory_);
    append(table, 100);
    RecurrentTable moved = std::move(table);
    EXPECT_EQ(moved.positions(), 100);
    RecurrentTable target(memory_);
    append(target, 70);
    target = std::move(moved);
    EXPECT_EQ(target.positions(), 100);
    EXPECT_EQ(pages_held(), 1);
    EXPECT_EQ(row_blocks_held(), 1);
  }
  EXPECT_EQ(pages_held(), 0);
  EXPECT_EQ(row_blocks_held(), 0);
}

TEST(RecurrentUnitsMax, GrowsWithTheSequenceUpToThree) {
  EXPECT_EQ(recurrent_units_max(63), StateCounts::of({.row_blocks = 1}));
  EXPECT_EQ(recurrent_units_max(64), StateCounts::of({.state_pages = 1, .row_blocks = 1}));
  EXPECT_EQ(recurrent_units_max(65), StateCounts::of({.state_pages = 1, .row_blocks = 2}));
  EXPECT_EQ(recurrent_units_max(10000), StateCounts::of({.state_pages = 3, .row_blocks = 3}));
}

}  // namespace
}  // namespace invar
