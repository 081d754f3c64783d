// Carries "there is something new" from any thread to the thread of the event loop. Many wakes that
// come before the loop looks are one.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <memory>
#include <mutex>

#include "server/http/http_handler.h"

namespace invar {

// Shared by a connection and whoever may wake it; close() ends the connection's part.
class Waker : public std::enable_shared_from_this<Waker> {
 public:
  // `on_wake` runs in `loop`, never after close().
  Waker(boost::asio::any_io_executor loop, std::function<void()> on_wake)
      : loop_(std::move(loop)), on_wake_(std::move(on_wake)) {}

  void wake(News news) {
    const std::lock_guard lock(mutex_);
    if (open_ && !posted_ && (!pausing_ || news == News::kLast)) {
      posted_ = true;
      boost::asio::post(loop_, [self = shared_from_this()] { self->arrive(); });
    }
  }

  // In the loop's thread: until the pause is over, only an answer's end wakes.
  void pause(bool pausing) {
    const std::lock_guard lock(mutex_);
    pausing_ = pausing;
  }

  // In the loop's thread.
  void close() {
    const std::lock_guard lock(mutex_);
    open_ = false;
  }

 private:
  void arrive() {
    {
      const std::lock_guard lock(mutex_);
      posted_ = false;
      if (!open_) {
        return;
      }
    }
    on_wake_();  // Only this thread closes, so it is still open.
  }

  std::mutex mutex_;
  boost::asio::any_io_executor loop_;
  std::function<void()> on_wake_;
  bool open_ = true;
  bool posted_ = false;
  bool pausing_ = false;
};

}  // namespace invar
