// When the pieces of many streams are written. A write costs about 10 us of processor time,
// whatever its length: so all streams together write at most about 1,000 times a second, all at the
// same ticks, and what comes between is gathered. Few streams write every token as it comes.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace invar {

// The next tick for one of so many streams; `now` if there is nothing to wait for.
inline std::chrono::steady_clock::time_point next_write(int64_t streams,
                                                        std::chrono::steady_clock::time_point now) {
  constexpr int64_t kUnpaced = 8;
  constexpr int64_t kMax = 50;  // ms: a reader does not see it
  if (streams < kUnpaced) {
    return now;
  }
  const std::chrono::steady_clock::duration tick =
      std::chrono::milliseconds(std::min(streams, kMax));
  return now - now.time_since_epoch() % tick + tick;
}

// Is one of the open streams as long as it lives.
class PacedStream {
 public:
  explicit PacedStream(std::atomic<int64_t>& open) : open_(open) { ++open_; }
  ~PacedStream() { --open_; }
  PacedStream(const PacedStream&) = delete;
  PacedStream& operator=(const PacedStream&) = delete;

 private:
  std::atomic<int64_t>& open_;
};

}  // namespace invar
