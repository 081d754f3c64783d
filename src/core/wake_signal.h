// Lets one thread sleep until another has something for it. A notification is kept until the
// sleeper takes it, so none is lost between looking for work and falling asleep.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace invar {

// Thread-safe, for one sleeper.
class WakeSignal {
 public:
  void notify() {
    {
      const std::lock_guard lock(mutex_);
      notified_ = true;
    }
    changed_.notify_one();
  }

  // Returns when notify() was called since the last wait, or after `timeout`.
  template <class Rep, class Period>
  void wait_for(std::chrono::duration<Rep, Period> timeout) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, timeout, [&] { return notified_; });
    notified_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool notified_ = false;
};

}  // namespace invar
