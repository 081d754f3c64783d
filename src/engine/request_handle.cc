// Taking of events and cancellation (request_handle.h).
#include "engine/request_handle.h"

#include <utility>

#include "core/error.h"

namespace invar {

RequestHandle::~RequestHandle() {
  if (state_ != nullptr) {
    cancel();
  }
}

RequestHandle& RequestHandle::operator=(RequestHandle&& other) noexcept {
  std::swap(state_, other.state_);
  std::swap(engine_, other.engine_);
  return *this;
}

std::optional<TokenEvent> RequestHandle::next(std::chrono::milliseconds timeout) {
  return taken(state_->events.pop_for(timeout));
}

std::optional<TokenEvent> RequestHandle::try_next() {
  return taken(state_->events.try_pop());
}

std::optional<TokenEvent> RequestHandle::taken(std::optional<TokenEvent> event) {
  if (event && state_->take_engine_waits()) {
    engine_->notify();
  }
  return event;
}

const RequestEnd& RequestHandle::end() const {
  INVAR_CHECK(ended());
  return state_->end;
}

void RequestHandle::stop_choice(int32_t choice) {
  const bool pushed = state_->choices_to_stop.try_push(std::move(choice));
  INVAR_CHECK(pushed, "choice {} was stopped before", choice);
  engine_->notify();
}

void RequestHandle::cancel() {
  state_->cancel_requested.store(true);
  engine_->notify();
}

}  // namespace invar
