// Who waits and who runs. First come, first served: a request is admitted when the pool can hold
// all that it may ever use, so an admitted one never lacks state and is never preempted.
// Chooses no rows (engine/batch.h) and sends no events (engine/engine.h).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/runner.h"
#include "engine/sequence.h"

namespace invar {

// Owns all running sequences. The only user of the runner's pools; one thread at a time.
class Scheduler {
 public:
  explicit Scheduler(PassRunner& runner);

  const AdmissionRules& rules() const { return rules_; }

  // Puts a request, which plan_request accepted, at the end of the queue.
  void enqueue(std::shared_ptr<RequestState> state);
  // Admits from the front of the queue while there is room; returns those admitted, in order.
  std::vector<LiveRequest*> admit();

  // In order of admission.
  std::span<const std::unique_ptr<LiveRequest>> running() const { return running_; }
  int64_t waiting_count() const { return static_cast<int64_t>(waiting_.size()); }
  int64_t sequences_running() const { return sequences_running_; }

  // Starts the choices that wait for the prompt which `first` has just computed: each becomes a
  // sequence that is forked from it. Returns `first` and those, by choice.
  std::vector<Sequence*> start_choices(Sequence& first);

  // Ends one sequence and gives back what it held and what it was promised. The request is removed
  // with its last sequence, and true is returned.
  bool finish(Sequence& sequence);

  // Removes requests, waiting ones first, and returns them.
  enum class Which {
    kCancelledOrFailed,  // whose client gave up, or that cannot go on
    kRunning,
    kAll,
  };
  struct Removed {
    std::shared_ptr<RequestState> state;
    std::string failure;  // empty for a request that could have gone on
    bool was_waiting = false;
  };
  std::vector<Removed> remove(Which which);

  // For tests: the first broken invariant, or an empty string. Walks all owners of state.
  std::string check_integrity() const;

 private:
  std::string check_request(const LiveRequest& request) const;
  void return_promise(const LiveRequest& request, int64_t choices);

  PassRunner& runner_;
  AdmissionRules rules_;
  std::deque<std::shared_ptr<RequestState>> waiting_;
  std::vector<std::unique_ptr<LiveRequest>> running_;
  StateCounts promised_;
  int64_t sequences_running_ = 0;  // with those that their requests have not started yet
};

}  // namespace invar
