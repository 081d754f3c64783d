// A request between its client's thread and the engine's: the one object that both touch.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/bounded_queue.h"
#include "engine/admission.h"
#include "engine/request.h"

namespace invar {

class RequestState {
 public:
  RequestState(Request asked, const RequestPlan& planned, size_t events_max)
      : request(std::move(asked)),
        plan(planned),
        events(events_max),
        choices_to_stop(static_cast<size_t>(request.choices)) {}

  const Request request;
  const RequestPlan plan;

  // The engine pushes, the client pops; closed when `end` is final.
  BoundedQueue<TokenEvent> events;

  // Client to engine.
  std::atomic<bool> cancel_requested{false};
  BoundedQueue<int32_t> choices_to_stop;  // each at most once

  // The engine's own until `events` is drained, then the client's.
  RequestEnd end;

  // For the engine: whether `count` events can be pushed now. If not, the client's next pop wakes
  // the engine. (The flag is set before the second look, and the client pops before it reads the
  // flag, so that one of the two sees the other.)
  bool has_room(size_t count) {
    if (events.free_count() >= count) {
      return true;
    }
    engine_waits_.store(true);
    return events.free_count() >= count;
  }
  // For the client, after a pop: whether the engine waits for it.
  bool take_engine_waits() { return engine_waits_.exchange(false); }

 private:
  std::atomic<bool> engine_waits_{false};
};

}  // namespace invar
