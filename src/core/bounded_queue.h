// A queue between threads with a fixed capacity: where threads meet. A producer never waits (a full
// queue refuses), a consumer may.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "core/error.h"

namespace invar {

// Thread-safe. After close() nothing can be pushed, and what was pushed before can still be popped.
template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(size_t capacity) : capacity_(capacity) { INVAR_CHECK(capacity > 0); }

  // False if the queue is full or closed; `item` is then unchanged.
  [[nodiscard]] bool try_push(T&& item) {
    {
      const std::lock_guard lock(mutex_);
      if (closed_ || items_.size() >= capacity_) {
        return false;
      }
      items_.push_back(std::move(item));
    }
    changed_.notify_one();
    return true;
  }

  // Empty if there is nothing now.
  [[nodiscard]] std::optional<T> try_pop() {
    const std::lock_guard lock(mutex_);
    return take();
  }

  // Waits for an item, at most `timeout`. Empty at the time-out, and at once when drained().
  template <class Rep, class Period>
  [[nodiscard]] std::optional<T> pop_for(std::chrono::duration<Rep, Period> timeout) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, timeout, [&] { return !items_.empty() || closed_; });
    return take();
  }

  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }

  // Nothing more can be pushed.
  bool closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
  }

  // Closed, and everything was popped: nothing will ever come.
  bool drained() const {
    const std::lock_guard lock(mutex_);
    return closed_ && items_.empty();
  }

  size_t size() const {
    const std::lock_guard lock(mutex_);
    return items_.size();
  }
  size_t capacity() const { return capacity_; }
  // For the only producer: pushes that will succeed for certain, unless the queue is closed.
  size_t free_count() const { return capacity_ - size(); }

 private:
  std::optional<T> take() {
    if (items_.empty()) {
      return std::nullopt;
    }
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    return item;
  }

  const size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> items_;
  bool closed_ = false;
};

}  // namespace invar
