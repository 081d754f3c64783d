// The engine: takes requests from any thread, computes them together on its own thread, and gives
// every token to its request's channel. A client is never shown how its request was batched.
//
//   Engine engine(runner, options);
//   engine.start();
//   SubmitResult result = engine.submit({.prompt = ids, .max_tokens = 100});
//   while (std::optional<TokenEvent> event = result.handle->next(timeout)) { ... }
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/bounded_queue.h"
#include "core/wake_signal.h"
#include "engine/batch.h"
#include "engine/request_handle.h"
#include "engine/sampler.h"
#include "engine/scheduler.h"

namespace invar {

struct EngineOptions {
  int64_t waiting_max = 256;  // requests that were submitted and do not run yet
  int64_t events_max = 64;    // tokens that wait for a slow client before its request pauses
  std::vector<int32_t> eos_token_ids = {};   // the model's own stop tokens
  std::function<double()> seconds_now = {};  // a steady clock; empty: the machine's
};

enum class SubmitStatus : uint8_t { kAccepted, kQueueFull, kStopping };

struct SubmitResult {
  SubmitStatus status = SubmitStatus::kAccepted;
  std::optional<RequestHandle> handle = {};  // present if accepted
};

// Sums since the start, and what is there now.
struct EngineStats {
  int64_t steps = 0;  // that ran a pass
  int64_t rows = 0;
  int64_t generated_tokens = 0;
  int64_t requests_finished = 0;
  int64_t requests_cancelled = 0;
  int64_t requests_failed = 0;
  int64_t requests_refused = 0;  // because the queue was full
  double pass_seconds = 0;
  int64_t requests_waiting = 0;
  int64_t requests_running = 0;
  int64_t sequences_running = 0;
  int64_t kv_blocks_held = 0;
  int64_t kv_blocks = 0;
  int64_t state_pages_held = 0;
  int64_t state_pages = 0;
  int64_t row_blocks_held = 0;
  int64_t row_blocks = 0;
};

enum class Shutdown {
  kFinish,  // answer everything that was accepted; waits for slow clients
  kCancel,
};

// The runner must outlive it and belongs to it alone. submit(), stats() and handles may be used by
// any thread.
class Engine {
 public:
  Engine(PassRunner& runner, EngineOptions options);
  ~Engine() { shutdown(Shutdown::kCancel); }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Starts the thread that calls step(). Error kExhausted if the system gives none.
  void start();
  // Refuses new requests, ends the others as told and joins the thread. Harmless if repeated, by
  // the thread that started the engine.
  void shutdown(Shutdown how);

  // Throws kBadArgument for a request that could never run. Refuses at once when the queue is full.
  [[nodiscard]] SubmitResult submit(Request request);

  // See admission.h. Any thread.
  int64_t prompt_tokens_max(int64_t choices) const {
    return invar::prompt_tokens_max(scheduler_.rules(), choices);
  }

  EngineStats stats() const;

  // One turn of the loop: false if there was nothing to compute. For simulations, which call it
  // instead of start(): what it does depends on the calls made before and on nothing else.
  bool step();

  // For tests, between steps: the scheduler's first broken invariant, or an empty string.
  std::string check_integrity() const { return scheduler_.check_integrity(); }

 private:
  void loop();
  bool compute();
  void drain();
  void stop_choices();
  void admit();
  std::vector<Sequence*> ready_sequences() const;
  void run(const std::vector<BatchSegment>& batch);
  bool has_room(const LiveRequest& request) const;
  // `logits_index`: of the segment's first logit row.
  void commit(const BatchSegment& segment, int64_t logits_index);
  void score_prompt(const BatchSegment& segment, int64_t logits_index);
  void draw(Sequence& prompted, std::span<const float> logits);
  void publish(Sequence& sequence, SampledToken token);
  FinishReason finish_reason(const Sequence& sequence) const;
  void close(const std::shared_ptr<RequestState>& closed, RequestOutcome outcome,
             const std::string& message);
  void note_change(const std::shared_ptr<RequestState>& state);
  // Once for each request of this step, after all its tokens: a client that is told sooner would
  // take a processor from the step.
  void tell_clients();
  void fail_running(const std::string& message);
  void publish_stats();

  PassRunner& runner_;
  const EngineOptions options_;
  Scheduler scheduler_;
  Sampler sampler_;
  BoundedQueue<std::shared_ptr<RequestState>> submissions_;
  // Submitted and not admitted: bounds the queue and the scheduler's waiting list together.
  std::atomic<int64_t> waiting_{0};
  std::atomic<int64_t> refused_{0};
  std::atomic<bool> cancel_all_{false};
  std::shared_ptr<WakeSignal> wake_ = std::make_shared<WakeSignal>();
  std::vector<std::shared_ptr<RequestState>> changed_;  // in this step, each once
  EngineStats working_stats_;                           // the engine thread's
  mutable std::mutex stats_mutex_;
  EngineStats stats_;                // what other threads see
  std::optional<pthread_t> thread_;  // since start()
};

}  // namespace invar
