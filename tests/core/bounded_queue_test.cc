// The queue between threads: capacity, closing, and no item lost or doubled.
#include "core/bounded_queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace invar {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(BoundedQueue, RefusesWhenFullAndKeepsTheItem) {
  BoundedQueue<std::unique_ptr<int>> queue(2);
  auto third = std::make_unique<int>(3);
  EXPECT_TRUE(queue.try_push(std::make_unique<int>(1)));
  EXPECT_TRUE(queue.try_push(std::make_unique<int>(2)));
  EXPECT_EQ(queue.free_count(), 0u);
  EXPECT_FALSE(queue.try_push(std::move(third)));
  ASSERT_NE(third, nullptr);
  EXPECT_EQ(**queue.try_pop(), 1);
  EXPECT_EQ(queue.free_count(), 1u);
  EXPECT_TRUE(queue.try_push(std::move(third)));
  EXPECT_EQ(**queue.try_pop(), 2);
  EXPECT_EQ(**queue.try_pop(), 3);
  EXPECT_EQ(queue.try_pop(), std::nullopt);
}

TEST(BoundedQueue, ClosedGivesWhatItHoldsAndTakesNoMore) {
  BoundedQueue<int> queue(2);
  EXPECT_TRUE(queue.try_push(1));
  queue.close();
  EXPECT_FALSE(queue.try_push(2));
  EXPECT_FALSE(queue.drained());
  EXPECT_EQ(queue.pop_for(seconds(10)), 1);
  EXPECT_TRUE(queue.drained());
  EXPECT_EQ(queue.pop_for(seconds(10)), std::nullopt);
}

TEST(BoundedQueue, PopEndsAtTheTimeOut) {
  BoundedQueue<int> queue(1);
  EXPECT_EQ(queue.pop_for(milliseconds(1)), std::nullopt);
  EXPECT_FALSE(queue.drained());
}

TEST(BoundedQueue, AClosingProducerWakesTheConsumer) {
  BoundedQueue<int> queue(1);
  std::thread producer([&] { queue.close(); });
  EXPECT_EQ(queue.pop_for(seconds(60)), std::nullopt);
  EXPECT_TRUE(queue.drained());
  producer.join();
}

TEST(BoundedQueue, CarriesEveryItemInOrderBetweenThreads) {
  constexpr int kItems = 20000;
  BoundedQueue<int> queue(7);
  std::thread producer([&] {
    for (int i = 0; i < kItems; ++i) {
      while (!queue.try_push(int{i})) {
        std::this_thread::yield();
      }
    }
    queue.close();
  });
  int expected = 0;
  while (!queue.drained()) {
    if (const auto item = queue.pop_for(seconds(60))) {
      ASSERT_EQ(*item, expected);
      expected += 1;
    }
  }
  EXPECT_EQ(expected, kItems);
  producer.join();
}

}  // namespace
}  // namespace invar
