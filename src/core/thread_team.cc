// Threads, generation counters and the spinning barrier of ThreadTeam.
#include "core/thread_team.h"

#include <sched.h>

#include "core/error.h"

namespace invar {
namespace {

// About 20 microseconds of spinning: longer than the spread between lanes of one op, shorter than a
// scheduler's time slice.
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
    worker->team->work_until_stopped(worker->lane);
    return nullptr;
  };
  for (int lane = 1; lane < lanes; ++lane) {
    Worker& worker = workers_.emplace_back(Worker{.team = this, .lane = lane});
    if (pthread_create(&worker.thread, nullptr, start, &worker) != 0) {
      workers_.pop_back();
      fail(Code::kExhausted, "threads: {} of {} could be started", lane, lanes);
    }
  }
}

ThreadTeam::~ThreadTeam() {
  stopping_.store(true, std::memory_order_relaxed);
  run_generation_.fetch_add(1, std::memory_order_release);
  run_generation_.notify_all();
  for (Worker& worker : workers_) {
    pthread_join(worker.thread, nullptr);
  }
}

void ThreadTeam::run(const std::function<void(int)>& work) {
  if (lanes_ > 1) {
    work_ = &work;
    run_generation_.fetch_add(1, std::memory_order_release);
    run_generation_.notify_all();
  }
  work(0);
  barrier();
}

void ThreadTeam::barrier() {
  if (lanes_ == 1) {
    return;
  }
  const uint32_t generation = barrier_generation_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == lanes_) {
    arrived_.store(0, std::memory_order_relaxed);
    barrier_generation_.fetch_add(1, std::memory_order_release);
    barrier_generation_.notify_all();
    return;
  }
  wait_for_change(barrier_generation_, generation);
}

void ThreadTeam::work_until_stopped(int lane) {
  uint32_t seen = 0;
  while (true) {
    wait_for_change(run_generation_, seen);
    seen += 1;
    if (stopping_.load(std::memory_order_relaxed)) {
      return;
    }
    (*work_)(lane);
    barrier();
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
