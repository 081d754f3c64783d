// Reference counts, the order of allocation, and the checks that catch wrong releases.
#include "cache/state_unit_pool.h"

#include <gtest/gtest.h>

#include <random>

namespace invar {
namespace {

TEST(StateUnitPool, HandsOutAscendingThenTheLastFreedFirst) {
  StateUnitPool pool(StateUnit::kKvBlock, 4);
  EXPECT_EQ(pool.allocate(), 0);
  EXPECT_EQ(pool.allocate(), 1);
  EXPECT_EQ(pool.allocate(), 2);
  pool.release(0);
  pool.release(1);
  EXPECT_EQ(pool.allocate(), 1);
  EXPECT_EQ(pool.allocate(), 0);
  EXPECT_EQ(pool.allocate(), 3);
  EXPECT_EQ(pool.allocate(), std::nullopt);
  EXPECT_EQ(pool.check_integrity(), "");
}

TEST(StateUnitPool, IsFreeOnlyWhenTheLastOwnerLetsGo) {
  StateUnitPool pool(StateUnit::kKvBlock, 2);
  const int32_t kv_block = pool.allocate().value();
  pool.retain(kv_block);
  EXPECT_EQ(pool.references(kv_block), 2);
  pool.release(kv_block);
  EXPECT_EQ(pool.free_count(), 1);
  EXPECT_EQ(pool.held_count(), 1);
  pool.release(kv_block);
  EXPECT_EQ(pool.free_count(), 2);
  EXPECT_EQ(pool.references(kv_block), 0);
  EXPECT_EQ(pool.check_integrity(), "");
}

TEST(StateUnitPoolDeathTest, ReleasingTwiceIsABug) {
  StateUnitPool pool(StateUnit::kKvBlock, 2);
  const int32_t kv_block = pool.allocate().value();
  pool.release(kv_block);
  EXPECT_DEATH(pool.release(kv_block), "kv_block 0 is free already");
  EXPECT_DEATH(pool.retain(kv_block), "kv_block 0 is free");
  EXPECT_DEATH(pool.release(2), "kv_block 2 of 2");
}

TEST(StateUnitPool, AgreesWithAModelUnderRandomUse) {
  std::mt19937 random(20260101);
  constexpr int kCount = 17;
  StateUnitPool pool(StateUnit::kKvBlock, kCount);
  std::vector<int> owners(kCount, 0);
  for (int turn = 0; turn < 20000; ++turn) {
    const auto id = static_cast<int32_t>(random() % kCount);
    if (random() % 2 == 0) {
      if (const auto kv_block = pool.allocate()) {
        ASSERT_EQ(owners[*kv_block], 0);
        owners[*kv_block] = 1;
      }
    } else if (owners[id] > 0 && random() % 3 == 0) {
      pool.retain(id);
      owners[id] += 1;
    } else if (owners[id] > 0) {
      pool.release(id);
      owners[id] -= 1;
    }
    ASSERT_EQ(pool.check_integrity(), "");
    int64_t held = 0;
    for (int32_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(pool.references(i), owners[i]);
      held += owners[i] > 0 ? 1 : 0;
    }
    ASSERT_EQ(pool.held_count(), held);
  }
}

TEST(StateUnitPoolDeathTest, NamesItsUnitAndMayBeEmpty) {
  StateUnitPool pool(StateUnit::kStatePage, 0);
  EXPECT_EQ(pool.allocate(), std::nullopt);
  EXPECT_EQ(pool.count(), 0);
  EXPECT_EQ(pool.check_integrity(), "");
  EXPECT_DEATH(pool.retain(0), "state_page 0 of 0");
  EXPECT_DEATH(StateUnitPool(StateUnit::kRowBlock, -1), "-1 row_blocks");
}

}  // namespace
}  // namespace invar
