// A fixed team of threads that runs the steps of a list together. A step is split into one share a
// lane; what a share computes depends on its number alone, never on the thread that runs it.
// A share goes to the thread that is there first: a thread that the system does not run holds up
// nobody, unless it is taken off in the middle of a share.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>

namespace invar {

// Owns lanes - 1 threads; the caller of run() works too. Not reentrant: one run() at a time (a team
// of one lane keeps nothing and may run in several threads). Waiting threads spin briefly (a step's
// end costs less than a microsecond), then sleep in the kernel.
class ThreadTeam {
 public:
  // `lanes` >= 1. Error kExhausted if the system does not give that many threads.
  explicit ThreadTeam(int lanes);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int lanes() const { return lanes_; }

  struct Steps {
    int64_t count = 0;
    // Called once for every step and lane. What the shares of a step wrote is visible to all shares
    // of the next. Must not throw.
    std::function<void(int64_t step, int lane)> share;
    // Optional: called once when a step is finished, before the next one begins.
    std::function<void(int64_t step)> finished;
  };
  // Returns when all steps are finished.
  void run(const Steps& steps);
  // One step.
  void run(const std::function<void(int lane)>& share);

 private:
  struct Worker {
    ThreadTeam* team = nullptr;
    pthread_t thread = {};
  };
  struct NoThreads {};
  ThreadTeam(int lanes, NoThreads) : lanes_(lanes) {}
  bool work_on_a_share();
  void finish_share(int64_t step);
  void announce();
  void work_until_stopped();

  const int lanes_;
  std::deque<Worker> workers_;  // addresses are stable: threads hold them

  // Shares are numbered over the team's life: share 0 of a step is a multiple of lanes_. Those
  // below open_ may be claimed, a step at a time; a claimed share keeps its run from ending.
  std::atomic<int64_t> claimed_{0};
  std::atomic<int64_t> open_{0};
  std::atomic<int> finished_shares_{0};  // of the open step
  std::atomic<bool> running_{false};
  std::atomic<bool> stopping_{false};
  std::atomic<uint32_t> events_{0};  // counts changes that somebody may wait for
  // Of the run, written while no share is open.
  const Steps* steps_ = nullptr;
  int64_t first_share_ = 0;
};

// The number of processors that this process may use.
int available_processors();

}  // namespace invar
