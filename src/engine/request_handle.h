// The client's end of a request: its events, its end, and the right to cancel it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "core/wake_signal.h"
#include "engine/request_state.h"

namespace invar {

// Move-only; destroying it cancels the request. Used by one thread at a time; may outlive the
// engine. A client that does not take its events pauses its own request and nobody else's.
class RequestHandle {
 public:
  RequestHandle(std::shared_ptr<RequestState> state, std::shared_ptr<WakeSignal> engine)
      : state_(std::move(state)), engine_(std::move(engine)) {}
  ~RequestHandle();
  RequestHandle(RequestHandle&&) noexcept = default;
  RequestHandle& operator=(RequestHandle&& other) noexcept;
  RequestHandle(const RequestHandle&) = delete;
  RequestHandle& operator=(const RequestHandle&) = delete;

  // The next event; empty at the time-out, or at once when ended().
  [[nodiscard]] std::optional<TokenEvent> next(std::chrono::milliseconds timeout);
  // The next event if there is one now.
  [[nodiscard]] std::optional<TokenEvent> try_next();

  // All events were taken and none will come.
  bool ended() const { return state_->events.drained(); }
  // How it ended; only when ended().
  const RequestEnd& end() const;

  // The engine ends the request at its next step. Events that it pushed before can still be taken.
  void cancel();

  // Ends one answer, of which at least one event was taken, at the engine's next step; the others
  // go on. Without an event of its own: those that the engine pushed before can still be taken.
  // When it was the last open answer, the request is finished.
  void stop_choice(int32_t choice);

 private:
  std::optional<TokenEvent> taken(std::optional<TokenEvent> event);

  std::shared_ptr<RequestState> state_;
  std::shared_ptr<WakeSignal> engine_;
};

}  // namespace invar
