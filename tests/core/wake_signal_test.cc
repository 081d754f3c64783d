// No notification is lost, whether it comes before or during the sleep.
#include "core/wake_signal.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace invar {
namespace {

TEST(WakeSignal, KeepsANotificationUntilTheNextWait) {
  WakeSignal signal;
  signal.notify();
  const auto begin = std::chrono::steady_clock::now();
  signal.wait_for(std::chrono::seconds(60));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  // It was taken: the next wait sleeps to its time-out.
  const auto second = std::chrono::steady_clock::now();
  signal.wait_for(std::chrono::milliseconds(20));
  EXPECT_GE(std::chrono::steady_clock::now() - second, std::chrono::milliseconds(20));
}

TEST(WakeSignal, WakesASleeperEveryTime) {
  constexpr int kTurns = 2000;
  WakeSignal signal;
  std::atomic<int> produced{0};
  std::atomic<int> consumed{0};
  std::thread producer([&] {
    for (int i = 0; i < kTurns; ++i) {
      produced.fetch_add(1);
      signal.notify();
      while (consumed.load() <= i) {
        std::this_thread::yield();
      }
    }
  });
  while (consumed.load() < kTurns) {
    if (consumed.load() < produced.load()) {
      consumed.fetch_add(1);
    } else {
      signal.wait_for(std::chrono::seconds(60));
    }
  }
  producer.join();
  EXPECT_EQ(produced.load(), kTurns);
}

}  // namespace
}  // namespace invar
