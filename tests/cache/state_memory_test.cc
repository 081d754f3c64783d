// Pools that exist only for units in use, counts, and poison at the hand-out.
#include "cache/state_memory.h"

#include <gtest/gtest.h>

#include <cmath>

namespace invar {
namespace {

const std::vector<StateBufferSpec> kBuffers = {
    {.name = "keys", .columns = 4},
    {.name = "pages", .columns = 3, .unit = StateUnit::kStatePage},
};

TEST(StateMemory, PoolsWhatBuffersUse) {
  const StateCounts asked = StateCounts::of({.kv_blocks = 3, .state_pages = 2, .row_blocks = 7});
  StateMemory memory(kBuffers, asked);
  EXPECT_TRUE(memory.has_recurrent_state());
  EXPECT_EQ(memory.counts(), StateCounts::of({.kv_blocks = 3, .state_pages = 2}));
  EXPECT_EQ(memory.allocate(StateUnit::kStatePage), 0);
  EXPECT_EQ(memory.held_counts(), StateCounts::of({.state_pages = 1}));
  EXPECT_EQ(memory.free_counts(), StateCounts::of({.kv_blocks = 3, .state_pages = 1}));
  const StateMemory paged(std::span<const StateBufferSpec>(kBuffers).first(1), asked);
  EXPECT_FALSE(paged.has_recurrent_state());
  EXPECT_EQ(paged.counts(), StateCounts::of({.kv_blocks = 3}));
}

TEST(StateMemory, PoisonsWhatItHandsOutWhenTold) {
  StateMemory memory(kBuffers, StateCounts::of({.kv_blocks = 2, .state_pages = 2}));
  const auto value = [&](int buffer, int32_t id) {
    return memory.storage().buffers()[static_cast<size_t>(buffer)].row<float>(id)[0];
  };
  EXPECT_EQ(value(0, memory.allocate(StateUnit::kKvBlock)), 0.0f);
  memory.poison_allocated(true);
  EXPECT_TRUE(std::isnan(value(0, memory.allocate(StateUnit::kKvBlock))));
  EXPECT_TRUE(std::isnan(value(1, memory.allocate(StateUnit::kStatePage))));
  EXPECT_EQ(value(0, 0), 0.0f);
  memory.poison_allocated(false);
  EXPECT_EQ(value(1, memory.allocate(StateUnit::kStatePage)), 0.0f);
}

TEST(StateMemoryDeathTest, AllocatingFromAnEmptyPoolIsABug) {
  StateMemory memory(kBuffers, StateCounts::of({.kv_blocks = 1, .state_pages = 1}));
  EXPECT_DEATH(memory.allocate(StateUnit::kRowBlock), "no row_block is free");
}

TEST(StateMemory, IntegrityLooksIntoEveryPool) {
  StateMemory memory(kBuffers, StateCounts::of({.kv_blocks = 1, .state_pages = 1}));
  memory.add_pages_written(3);
  EXPECT_EQ(memory.pages_written(), 3);
  EXPECT_EQ(memory.check_integrity(), "");
}

}  // namespace
}  // namespace invar
