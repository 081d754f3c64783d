// The loop of a step and what surrounds it (engine.h).
#include "engine/engine.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/log.h"
#include "engine/pass_segment.h"

namespace invar {
namespace {

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

EngineOptions checked(EngineOptions options) {
  if (options.waiting_max < 1) {
    fail(Code::kBadArgument, "waiting requests: expected at least 1, found {}",
         options.waiting_max);
  }
  if (options.events_max < 1) {
    fail(Code::kBadArgument, "events of a request: expected at least 1, found {}",
         options.events_max);
  }
  if (!options.seconds_now) {
    options.seconds_now = steady_seconds;
  }
  return options;
}

std::string broken_logits(int64_t position) {
  return fmt::format("the logits after token {} are not finite numbers", position);
}

bool contains(const std::vector<int32_t>& ids, int32_t id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

}  // namespace

// The step ------------------------------------------------------------------------------------

bool Engine::step() {
  bool computed = true;
  try {
    computed = compute();
  } catch (const std::exception& error) {
    fail_running(error.what());
  }
  publish_stats();
  tell_clients();
  return computed;
}

bool Engine::compute() {
  drain();
  admit();
  const std::vector<BatchSegment> batch = choose_batch(ready_sequences(), runner_.limits());
  if (batch.empty()) {
    return false;
  }
  run(batch);
  int64_t logits_index = 0;
  for (const BatchSegment& segment : batch) {
    segment.sequence->state.advance(segment.rows);
    commit(segment, logits_index);
    logits_index += segment.logit_rows;
  }
  return true;
}

void Engine::drain() {
  while (std::optional<std::shared_ptr<RequestState>> state = submissions_.try_pop()) {
    scheduler_.enqueue(std::move(*state));
  }
  const auto which =
      cancel_all_.load() ? Scheduler::Which::kAll : Scheduler::Which::kCancelledOrFailed;
  for (const Scheduler::Removed& removed : scheduler_.remove(which)) {
    waiting_.fetch_sub(removed.was_waiting ? 1 : 0);
    close(removed.state,
          removed.failure.empty() ? RequestOutcome::kCancelled : RequestOutcome::kFailed,
          removed.failure);
  }
  stop_choices();
}

// Of requests whose clients have read enough of an answer.
void Engine::stop_choices() {
  std::vector<Sequence*> stopped;
  for (const auto& request : scheduler_.running()) {
    while (const std::optional<int32_t> choice = request->state->choices_to_stop.try_pop()) {
      for (const auto& sequence : request->sequences) {
        if (sequence->choice == *choice) {
          stopped.push_back(sequence.get());
        }
      }
    }
  }
  for (Sequence* sequence : stopped) {
    const std::shared_ptr<RequestState> state = sequence->request->state;
    if (scheduler_.finish(*sequence)) {
      close(state, RequestOutcome::kFinished, {});
    }
  }
}

void Engine::admit() {
  for (LiveRequest* request : scheduler_.admit()) {
    waiting_.fetch_sub(1);
    request->state->end.times.admitted = options_.seconds_now();
  }
}

// A request whose channel could not take this step's tokens is left out until its client reads.
std::vector<Sequence*> Engine::ready_sequences() const {
  std::vector<Sequence*> ready;
  for (const auto& request : scheduler_.running()) {
    if (has_room(*request)) {
      for (const auto& sequence : request->sequences) {
        ready.push_back(sequence.get());
      }
    }
  }
  return ready;
}

// Whether the channel can take all that one pass may bring.
bool Engine::has_room(const LiveRequest& request) const {
  int64_t events = request.open_choices();
  for (const auto& sequence : request.sequences) {
    if (sequence->scores_prompt) {
      events += std::min(sequence->pending_rows(), runner_.limits().logit_rows_max);
    }
  }
  return request.state->has_room(static_cast<size_t>(events));
}

void Engine::run(const std::vector<BatchSegment>& batch) {
  runner_.tables().clear();
  for (const BatchSegment& segment : batch) {
    Sequence& sequence = *segment.sequence;
    const int64_t begin = sequence.state.computed();
    const bool prepared = sequence.state.prepare_write({.end = begin + segment.rows});
    INVAR_CHECK(prepared, "state that was promised is missing");
    const std::span<const int32_t> token_ids = sequence.token_ids;
    runner_.tables().add(pass_segment(
        sequence.state,
        token_ids.subspan(static_cast<size_t>(begin), static_cast<size_t>(segment.rows)),
        segment.logit_rows));
  }
  const double begin = options_.seconds_now();
  runner_.run();
  working_stats_.pass_seconds += options_.seconds_now() - begin;
  working_stats_.steps += 1;
  working_stats_.rows += runner_.tables().shape().rows;
}

void Engine::commit(const BatchSegment& segment, int64_t logits_index) {
  const LiveRequest& request = *segment.sequence->request;
  if (segment.sequence->scores_prompt) {
    score_prompt(segment, logits_index);
  }
  // A failure: of its prompt, or of another choice in this step.
  if (segment.draws && request.failure.empty()) {
    draw(*segment.sequence, runner_.logits_row(logits_index + segment.logit_rows - 1));
  }
}

// Each row but the prompt's last has logits for a token of the prompt, the next one.
void Engine::score_prompt(const BatchSegment& segment, int64_t logits_index) {
  Sequence& sequence = *segment.sequence;
  const std::shared_ptr<RequestState>& state = sequence.request->state;
  const int64_t begin = sequence.state.computed() - segment.rows;
  const int64_t end = std::min(sequence.state.computed(), sequence.length() - 1);
  for (int64_t row = begin; row < end; ++row) {
    const int32_t token_id = sequence.token_ids[static_cast<size_t>(row) + 1];
    std::optional<SampledToken> token = score_token(runner_.logits_row(logits_index + row - begin),
                                                    token_id, state->request.sampling);
    if (!token) {
      sequence.request->failure = broken_logits(row);
      return;
    }
    const bool pushed = state->events.try_push({.token_id = token_id,
                                                .position = row + 1,
                                                .logprob = token->logprob,
                                                .top_logprobs = std::move(token->top)});
    INVAR_CHECK(pushed, "an event's place was taken");
  }
  sequence.scores_prompt = !segment.draws;
  note_change(state);
}

// At the end of a prompt one row of logits gives every choice its first token.
void Engine::draw(Sequence& prompted, std::span<const float> logits) {
  LiveRequest& request = *prompted.request;
  const std::shared_ptr<RequestState> state = request.state;
  const SamplingParams& params = state->request.sampling;
  for (Sequence* sequence : scheduler_.start_choices(prompted)) {
    if (state->request.max_tokens == 0) {
      if (scheduler_.finish(*sequence)) {
        close(state, RequestOutcome::kFinished, {});
      }
      continue;
    }
    std::optional<SampledToken> token = sampler_.sample({.logits = logits,
                                                         .params = &params,
                                                         .history = &sequence->history,
                                                         .choice = sequence->choice,
                                                         .position = sequence->length()});
    if (!token) {
      request.failure = broken_logits(sequence->length() - 1);
      return;  // The next drain ends the request.
    }
    publish(*sequence, std::move(*token));
  }
}

void Engine::publish(Sequence& sequence, SampledToken token) {
  // Kept alive here: the sequence, and its request with it, may end below.
  const std::shared_ptr<RequestState> state = sequence.request->state;
  TokenEvent event{.choice = sequence.choice,
                   .token_id = token.token_id,
                   .position = sequence.length(),
                   .logprob = token.logprob,
                   .top_logprobs = std::move(token.top)};
  sequence.token_ids.push_back(token.token_id);
  if (uses_history(state->request.sampling)) {
    sequence.history.add_generated(token.token_id);
  }
  event.finish = finish_reason(sequence);
  const bool ends = event.finish != FinishReason::kNone;
  if (state->end.generated_tokens == 0) {
    state->end.times.first_token = options_.seconds_now();
  }
  state->end.generated_tokens += 1;
  working_stats_.generated_tokens += 1;
  const bool pushed = state->events.try_push(std::move(event));
  INVAR_CHECK(pushed, "an event's place was taken");
  if (ends && scheduler_.finish(sequence)) {
    close(state, RequestOutcome::kFinished, {});
  } else {
    note_change(state);
  }
}

FinishReason Engine::finish_reason(const Sequence& sequence) const {
  const RequestState& state = *sequence.request->state;
  const int32_t last = sequence.token_ids.back();
  const bool ends_text = !state.request.ignore_eos && contains(options_.eos_token_ids, last);
  if (ends_text || contains(state.request.stop_token_ids, last)) {
    return FinishReason::kStop;
  }
  return sequence.length() == state.plan.length_max ? FinishReason::kLength : FinishReason::kNone;
}

void Engine::close(const std::shared_ptr<RequestState>& closed, RequestOutcome outcome,
                   const std::string& message) {
  RequestState& state = *closed;
  state.end.outcome = outcome;
  state.end.message = message;
  state.end.times.ended = options_.seconds_now();
  working_stats_.requests_finished += outcome == RequestOutcome::kFinished ? 1 : 0;
  working_stats_.requests_cancelled += outcome == RequestOutcome::kCancelled ? 1 : 0;
  working_stats_.requests_failed += outcome == RequestOutcome::kFailed ? 1 : 0;
  state.events.close();
  note_change(closed);
}

void Engine::tell_clients() {
  for (const std::shared_ptr<RequestState>& state : changed_) {
    if (state->request.on_event) {
      state->request.on_event(state->events.closed());
    }
  }
  changed_.clear();
}

void Engine::note_change(const std::shared_ptr<RequestState>& state) {
  if (std::ranges::find(changed_, state) == changed_.end()) {
    changed_.push_back(state);
  }
}

void Engine::fail_running(const std::string& message) {
  log_warn("engine step failed: {}", message);
  for (const Scheduler::Removed& removed : scheduler_.remove(Scheduler::Which::kRunning)) {
    close(removed.state, RequestOutcome::kFailed, "engine step failed: " + message);
  }
}

// Clients' side and the thread ------------------------------------------------------------------

Engine::Engine(PassRunner& runner, EngineOptions options)
    : runner_(runner),
      options_(checked(std::move(options))),
      scheduler_(runner),
      submissions_(static_cast<size_t>(options_.waiting_max)) {
  publish_stats();
}

SubmitResult Engine::submit(Request request) {
  const RequestPlan plan = plan_request(scheduler_.rules(), request);
  if (waiting_.fetch_add(1) >= options_.waiting_max) {
    waiting_.fetch_sub(1);
    refused_.fetch_add(1);
    return {.status = SubmitStatus::kQueueFull};
  }
  // Every choice must be able to give one token in a step, and a prompt that is scored a pass's.
  const int64_t scored = request.prompt_logprobs ? runner_.limits().logit_rows_max : 0;
  const int64_t events_max = std::max(options_.events_max, request.choices + scored);
  auto state =
      std::make_shared<RequestState>(std::move(request), plan, static_cast<size_t>(events_max));
  state->end.times.submitted = options_.seconds_now();
  if (!submissions_.try_push(std::shared_ptr(state))) {
    waiting_.fetch_sub(1);
    return {.status = SubmitStatus::kStopping};
  }
  wake_->notify();
  return {.status = SubmitStatus::kAccepted, .handle = RequestHandle(std::move(state), wake_)};
}

void Engine::start() {
  INVAR_CHECK(!thread_);
  const auto run = [](void* engine) -> void* {
    static_cast<Engine*>(engine)->loop();
    return nullptr;
  };
  pthread_t thread{};
  if (const int error = pthread_create(&thread, nullptr, run, this); error != 0) {
    fail(Code::kExhausted, "engine: its thread could not be started: {}",
         std::generic_category().message(error));
  }
  thread_ = thread;
}

void Engine::loop() {
  while (true) {
    if (step()) {
      continue;
    }
    if (submissions_.drained() && scheduler_.waiting_count() == 0 && scheduler_.running().empty()) {
      return;
    }
    // A submission, a cancellation or a client that reads again ends the wait; the time-out is only
    // a second net.
    wake_->wait_for(std::chrono::seconds(1));
  }
}

void Engine::shutdown(Shutdown how) {
  submissions_.close();
  if (how == Shutdown::kCancel) {
    cancel_all_.store(true);
  }
  wake_->notify();
  if (thread_) {
    pthread_join(*thread_, nullptr);
    thread_.reset();
  } else {
    loop();
  }
}

void Engine::publish_stats() {
  working_stats_.requests_running = static_cast<int64_t>(scheduler_.running().size());
  working_stats_.sequences_running = scheduler_.sequences_running();
  const StateMemory& memory = runner_.state_memory();
  working_stats_.kv_blocks_held = memory.pool(StateUnit::kKvBlock).held_count();
  working_stats_.kv_blocks = memory.pool(StateUnit::kKvBlock).count();
  working_stats_.state_pages_held = memory.pool(StateUnit::kStatePage).held_count();
  working_stats_.state_pages = memory.pool(StateUnit::kStatePage).count();
  working_stats_.row_blocks_held = memory.pool(StateUnit::kRowBlock).held_count();
  working_stats_.row_blocks = memory.pool(StateUnit::kRowBlock).count();
  const std::lock_guard lock(stats_mutex_);
  stats_ = working_stats_;
}

EngineStats Engine::stats() const {
  const std::lock_guard lock(stats_mutex_);
  EngineStats stats = stats_;
  stats.requests_waiting = waiting_.load();
  stats.requests_refused = refused_.load();
  return stats;
}

}  // namespace invar
