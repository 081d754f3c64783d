// A fixed team of threads that runs one function on all of its lanes at once, with a barrier.
// Made for passes: work is dealt by lane, so what is computed never depends on timing.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace invar {

// Owns lanes - 1 threads; the caller of run() is lane 0. Not reentrant: one run() at a time, always
// from one thread at a time. Waiting lanes spin briefly (a barrier costs about a microsecond), then
// sleep in the kernel.
class ThreadTeam {
 public:
  // `lanes` >= 1.
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
  void worker(int lane);

  const int lanes_;
  std::vector<std::thread> threads_;
  const std::function<void(int)>* work_ = nullptr;
  std::atomic<uint32_t> run_generation_{0};
  std::atomic<uint32_t> barrier_generation_{0};
  std::atomic<int> arrived_{0};
  std::atomic<bool> stopping_{false};
};

// The number of processors that this process may use.
int available_processors();

}  // namespace invar
