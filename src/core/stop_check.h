// Long work that another thread may stop, because nobody waits for its result any more.
#pragma once

#include <cstdint>
#include <stop_token>
#include <utility>

namespace invar {

// The work calls step() in its loops; every so many steps it looks. One thread.
class StopCheck {
 public:
  StopCheck() = default;  // is never stopped
  explicit StopCheck(std::stop_token token) : token_(std::move(token)) {}

  void step() {
    if (++steps_ % kStepsBetweenLooks == 0) {
      look();
    }
  }
  // Throws Error kExhausted if the work was stopped.
  void look() const;

 private:
  // Steps take about 10 to 1000 ns.
  static constexpr uint32_t kStepsBetweenLooks = 1024;

  std::stop_token token_;
  uint32_t steps_ = 0;
};

}  // namespace invar
