// A fixed team of threads that runs one function on all of its lanes at once, with a barrier.
// Made for passes: work is dealt by lane, so what is computed never depends on timing.
#pragma once

#include <pthread.h>

#include <atomic>
#include <deque>
#include <functional>

namespace invar {

// Owns lanes - 1 threads; the caller of run() is lane 0. Not reentrant: one run() at a time, always
// from one thread at a time. Waiting lanes spin briefly (a barrier costs about a microsecond), then
// sleep in the kernel.
class ThreadTeam {
 public:
  // `lanes` >= 1. Error kExhausted if the system does not give that many threads.
  explicit ThreadTeam(int lanes);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int lanes() const { return lanes_; }

  // Calls work(lane) on every lane and returns when all have returned. `work` must not throw.
  void run(const std::function<void(int lane)>& work);

  // Inside work(): returns when every lane has called it as often. What a lane wrote before is
  // visible to all lanes after.
  void barrier();

 private:
  struct Worker {
    ThreadTeam* team = nullptr;
    int lane = 0;
    pthread_t thread = {};
  };
  struct NoThreads {};
  ThreadTeam(int lanes, NoThreads) : lanes_(lanes) {}
  void work_until_stopped(int lane);

  const int lanes_;
  std::deque<Worker> workers_;  // addresses are stable: threads hold them
  const std::function<void(int)>* work_ = nullptr;
  std::atomic<uint32_t> run_generation_{0};
  std::atomic<uint32_t> barrier_generation_{0};
  std::atomic<int> arrived_{0};
  std::atomic<bool> stopping_{false};
};

// The number of processors that this process may use.
int available_processors();

}  // namespace invar
