// Growth, copy on write, truncation and forks of one sequence's kv_blocks.
#include "cache/kv_block_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace invar {
namespace {

using testing::ElementsAre;

class KvBlockTableTest : public testing::Test {
 protected:
  static constexpr int64_t kKvBlocks = 8;

  KvBlockTable make_table() { return KvBlockTable(memory_); }
  int32_t* cell(int32_t kv_block, int64_t row) {
    return memory_.storage().buffers()[0].row<int32_t>(kv_block) + row;
  }

  const std::vector<StateBufferSpec> buffers_ = {
      {.name = "tokens", .dtype = DType::kI32, .columns = kKvBlockRows}};
  StateMemory memory_{buffers_, StateCounts::of({.kv_blocks = kKvBlocks})};
  StateUnitPool& pool_ = memory_.pool(StateUnit::kKvBlock);
};

TEST_F(KvBlockTableTest, GrowsByWholeKvBlocks) {
  KvBlockTable table = make_table();
  ASSERT_TRUE(table.prepare_write({.begin = 0, .end = 1}));
  EXPECT_THAT(table.kv_blocks(), ElementsAre(0));
  ASSERT_TRUE(table.prepare_write({.begin = 1, .end = 64}));
  EXPECT_THAT(table.kv_blocks(), ElementsAre(0));
  ASSERT_TRUE(table.prepare_write({.begin = 64, .end = 130}));
  EXPECT_THAT(table.kv_blocks(), ElementsAre(0, 1, 2));
  EXPECT_EQ(table.capacity_positions(), 192);
}

TEST_F(KvBlockTableTest, AnExhaustedPoolChangesNothing) {
  KvBlockTable other = make_table();
  ASSERT_TRUE(other.prepare_write({.begin = 0, .end = 5 * 64}));
  KvBlockTable table = make_table();
  ASSERT_TRUE(table.prepare_write({.begin = 0, .end = 65}));
  EXPECT_FALSE(table.prepare_write({.begin = 65, .end = 4 * 64}));
  EXPECT_EQ(table.kv_blocks().size(), 2u);
  EXPECT_EQ(pool_.free_count(), 1);
  EXPECT_TRUE(table.prepare_write({.begin = 65, .end = 3 * 64}));
}

TEST_F(KvBlockTableTest, ACopyThatDoesNotFitChangesNothing) {
  KvBlockTable table = make_table();
  ASSERT_TRUE(table.prepare_write({.begin = 0, .end = 8 * 64 - 10}));
  KvBlockTable sibling = table.fork(8 * 64 - 10);
  EXPECT_EQ(sibling.kv_blocks_needed({.begin = 8 * 64 - 10, .end = 8 * 64}), 1);
  EXPECT_FALSE(sibling.prepare_write({.begin = 8 * 64 - 10, .end = 8 * 64}));
  EXPECT_EQ(sibling.kv_blocks()[7], table.kv_blocks()[7]);
  EXPECT_EQ(pool_.references(7), 2);
}

TEST_F(KvBlockTableTest, TruncatesToTheKvBlockThatHoldsTheLastPosition) {
  KvBlockTable table = make_table();
  ASSERT_TRUE(table.prepare_write({.begin = 0, .end = 200}));
  table.truncate(65);
  EXPECT_THAT(table.kv_blocks(), ElementsAre(0, 1));
  table.truncate(64);
  EXPECT_THAT(table.kv_blocks(), ElementsAre(0));
  ASSERT_TRUE(table.prepare_write({.begin = 64, .end = 200}));
  EXPECT_THAT(table.kv_blocks(), ElementsAre(0, 1, 2, 3));
  table.truncate(0);
  EXPECT_EQ(pool_.free_count(), kKvBlocks);
}

TEST_F(KvBlockTableTest, ForksShareUntilOneWrites) {
  KvBlockTable table = make_table();
  ASSERT_TRUE(table.prepare_write({.begin = 0, .end = 70}));
  *cell(1, 5) = 42;
  KvBlockTable sibling = table.fork(70);
  EXPECT_THAT(sibling.kv_blocks(), ElementsAre(0, 1));
  EXPECT_EQ(pool_.held_count(), 2);

  ASSERT_TRUE(sibling.prepare_write({.begin = 70, .end = 71}));
  EXPECT_THAT(sibling.kv_blocks(), ElementsAre(0, 2));
  EXPECT_EQ(*cell(2, 5), 42);
  EXPECT_EQ(pool_.references(0), 2);
  EXPECT_EQ(pool_.references(1), 1);

  // The original is now the only owner of kv_block 1, so it writes in place.
  ASSERT_TRUE(table.prepare_write({.begin = 70, .end = 71}));
  EXPECT_THAT(table.kv_blocks(), ElementsAre(0, 1));
}

TEST_F(KvBlockTableTest, TheOriginalMayBeTheFirstToWrite) {
  KvBlockTable table = make_table();
  ASSERT_TRUE(table.prepare_write({.begin = 0, .end = 10}));
  *cell(0, 9) = 5;
  const KvBlockTable sibling = table.fork(10);
  ASSERT_TRUE(table.prepare_write({.begin = 10, .end = 11}));
  *cell(table.kv_blocks()[0], 10) = 6;
  EXPECT_THAT(sibling.kv_blocks(), ElementsAre(0));
  EXPECT_EQ(*cell(0, 9), 5);
  EXPECT_EQ(*cell(0, 10), 0);
}

TEST_F(KvBlockTableTest, AForkTakesOnlyTheKvBlocksOfItsPositions) {
  KvBlockTable table = make_table();
  ASSERT_TRUE(table.prepare_write({.begin = 0, .end = 300}));
  EXPECT_EQ(table.fork(0).kv_blocks().size(), 0u);
  EXPECT_EQ(table.fork(64).kv_blocks().size(), 1u);
  EXPECT_EQ(table.fork(65).kv_blocks().size(), 2u);
}

TEST_F(KvBlockTableTest, RewritingASharedPrefixCopiesAllThatItTouches) {
  KvBlockTable table = make_table();
  ASSERT_TRUE(table.prepare_write({.begin = 0, .end = 192}));
  KvBlockTable sibling = table.fork(192);
  sibling.truncate(128);
  ASSERT_TRUE(sibling.prepare_write({.begin = 30, .end = 128}));
  EXPECT_THAT(table.kv_blocks(), ElementsAre(0, 1, 2));
  EXPECT_THAT(sibling.kv_blocks(), ElementsAre(3, 4));
}

TEST_F(KvBlockTableTest, ReleasesWhenDestroyedAndMovesOwnership) {
  {
    KvBlockTable table = make_table();
    ASSERT_TRUE(table.prepare_write({.begin = 0, .end = 100}));
    KvBlockTable moved = std::move(table);
    EXPECT_EQ(moved.kv_blocks().size(), 2u);
    KvBlockTable target = make_table();
    ASSERT_TRUE(target.prepare_write({.begin = 0, .end = 100}));
    target = std::move(moved);
    EXPECT_EQ(pool_.held_count(), 2);
  }
  EXPECT_EQ(pool_.free_count(), kKvBlocks);
  EXPECT_EQ(pool_.check_integrity(), "");
}

// Forks that write, truncate and fork at random must each read what they wrote.
TEST_F(KvBlockTableTest, RandomForksNeverSeeEachOthersWrites) {
  struct Line {
    KvBlockTable table;
    std::vector<int32_t> written;
  };
  std::mt19937 random(77);
  std::vector<Line> lines;
  lines.push_back({make_table(), {}});
  int refusals = 0;
  for (int turn = 0; turn < 5000; ++turn) {
    Line& line = lines[random() % lines.size()];
    const auto positions = static_cast<int64_t>(line.written.size());
    const auto action = random() % 10;
    if (action < 6) {
      const int64_t end = positions + 1 + static_cast<int64_t>(random() % 40);
      if (!line.table.prepare_write({.begin = positions, .end = end})) {
        refusals += 1;
        continue;
      }
      for (int64_t i = positions; i < end; ++i) {
        line.written.push_back(static_cast<int32_t>(random()));
        *cell(line.table.kv_blocks()[i / 64], i % 64) = line.written.back();
      }
    } else if (action < 8) {
      line.written.resize(random() % (positions + 1));
      line.table.truncate(static_cast<int64_t>(line.written.size()));
    } else if (action == 8 && lines.size() < 4) {
      lines.push_back({line.table.fork(positions), line.written});
    } else if (lines.size() > 1) {
      lines.erase(lines.begin() + static_cast<int64_t>(random() % lines.size()));
    }
    for (const Line& other : lines) {
      for (size_t i = 0; i < other.written.size(); ++i) {
        ASSERT_EQ(*cell(other.table.kv_blocks()[i / 64], i % 64), other.written[i]) << turn;
      }
    }
    ASSERT_EQ(pool_.check_integrity(), "");
  }
  EXPECT_GT(refusals, 10);
  lines.clear();
  EXPECT_EQ(pool_.free_count(), kKvBlocks);
}

}  // namespace
}  // namespace invar
