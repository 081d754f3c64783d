// Threads, and how they claim the shares of ThreadTeam's steps.
#include "core/thread_team.h"

#include <sched.h>

#include "core/error.h"

namespace invar {
namespace {

// About 20 microseconds of spinning: longer than the spread between the shares of one op, shorter
// than a scheduler's time slice.
constexpr int kSpins = 4000;

// Returns when `value` no longer equals `old`.
void wait_for_change(const std::atomic<uint32_t>& value, uint32_t old) {
  for (int i = 0; i < kSpins; ++i) {
    if (value.load(std::memory_order_acquire) != old) {
      return;
    }
    __builtin_ia32_pause();
  }
  while (value.load(std::memory_order_acquire) == old) {
    value.wait(old, std::memory_order_acquire);
  }
}

}  // namespace

// Delegates, so that the destructor stops the threads that were started if a later one cannot be.
ThreadTeam::ThreadTeam(int lanes) : ThreadTeam(lanes, NoThreads()) {
  INVAR_CHECK(lanes >= 1, "lanes {}", lanes);
  const auto start = [](void* argument) -> void* {
    auto* worker = static_cast<Worker*>(argument);
    worker->team->work_until_stopped();
    return nullptr;
  };
  for (int lane = 1; lane < lanes; ++lane) {
    Worker& worker = workers_.emplace_back(Worker{.team = this});
    if (pthread_create(&worker.thread, nullptr, start, &worker) != 0) {
      workers_.pop_back();
      fail(Code::kExhausted, "threads: {} of {} could be started", lane, lanes);
    }
  }
}

ThreadTeam::~ThreadTeam() {
  stopping_.store(true, std::memory_order_relaxed);
  announce();
  for (Worker& worker : workers_) {
    pthread_join(worker.thread, nullptr);
  }
}

void ThreadTeam::run(const Steps& steps) {
  if (lanes_ == 1) {
    for (int64_t step = 0; step < steps.count; ++step) {
      steps.share(step, 0);
      if (steps.finished) {
        steps.finished(step);
      }
    }
    return;
  }
  if (steps.count == 0) {
    return;
  }
  steps_ = &steps;
  first_share_ = open_.load(std::memory_order_relaxed);
  running_.store(true, std::memory_order_relaxed);
  open_.store(first_share_ + lanes_, std::memory_order_release);
  announce();
  while (running_.load(std::memory_order_acquire)) {
    const uint32_t events = events_.load(std::memory_order_acquire);
    if (!work_on_a_share() && running_.load(std::memory_order_acquire)) {
      wait_for_change(events_, events);
    }
  }
}

void ThreadTeam::run(const std::function<void(int)>& share) {
  run({.count = 1, .share = [&](int64_t /*step*/, int lane) { share(lane); }, .finished = {}});
}

// False if none can be claimed now.
bool ThreadTeam::work_on_a_share() {
  int64_t share = claimed_.load(std::memory_order_relaxed);
  do {
    if (share >= open_.load(std::memory_order_acquire)) {
      return false;
    }
  } while (!claimed_.compare_exchange_weak(share, share + 1, std::memory_order_relaxed));
  const int64_t step = (share - first_share_) / lanes_;
  steps_->share(step, static_cast<int>(share % lanes_));
  finish_share(step);
  return true;
}

void ThreadTeam::finish_share(int64_t step) {
  if (finished_shares_.fetch_add(1, std::memory_order_acq_rel) + 1 < lanes_) {
    return;
  }
  finished_shares_.store(0, std::memory_order_relaxed);
  if (steps_->finished) {
    steps_->finished(step);
  }
  if (step + 1 < steps_->count) {
    open_.fetch_add(lanes_, std::memory_order_release);
  } else {
    running_.store(false, std::memory_order_release);
  }
  announce();
}

void ThreadTeam::announce() {
  events_.fetch_add(1, std::memory_order_release);
  events_.notify_all();
}

void ThreadTeam::work_until_stopped() {
  while (!stopping_.load(std::memory_order_relaxed)) {
    const uint32_t events = events_.load(std::memory_order_acquire);
    if (!work_on_a_share() && !stopping_.load(std::memory_order_relaxed)) {
      wait_for_change(events_, events);
    }
  }
}

int available_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    return std::max(1, CPU_COUNT(&set));
  }
  return 1;
}

}  // namespace invar
