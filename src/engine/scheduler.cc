// Admission by promise, forks of choices, and removal (scheduler.h).
#include "engine/scheduler.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/error.h"

namespace invar {

Scheduler::Scheduler(PassRunner& runner) : runner_(runner) {
  // Every running sequence must be able to get its row, and its logits, in one pass.
  const PassLimits& limits = runner.limits();
  rules_ = {
      .vocabulary = runner.vocabulary(),
      .context_positions = runner.context_positions(),
      .units = runner.state_memory().counts(),
      .has_paged_state = runner.state_memory().has_paged_state(),
      .has_recurrent_state = runner.state_memory().has_recurrent_state(),
      .sequences_max = std::min({limits.rows_max, limits.segments_max, limits.logit_rows_max})};
}

void Scheduler::enqueue(std::shared_ptr<RequestState> state) {
  waiting_.push_back(std::move(state));
}

std::vector<LiveRequest*> Scheduler::admit() {
  std::vector<LiveRequest*> admitted;
  while (!waiting_.empty()) {
    const RequestState& next = *waiting_.front();
    const int32_t choices = next.request.choices;
    if (sequences_running_ + choices > rules_.sequences_max ||
        !(promised_ + next.plan.units(choices)).fits(rules_.units)) {
      break;  // The others wait behind it: nobody overtakes.
    }
    promised_ += next.plan.units(choices);
    sequences_running_ += choices;
    auto live = std::make_unique<LiveRequest>(
        LiveRequest{.state = std::move(waiting_.front()), .choices_to_start = choices - 1});
    waiting_.pop_front();
    auto sequence = std::make_unique<Sequence>(*live, 0, runner_.make_sequence_state());
    sequence->token_ids = live->state->request.prompt;
    sequence->scores_prompt = live->state->request.prompt_logprobs;
    if (uses_history(live->state->request.sampling)) {
      sequence->history.add_prompt(sequence->token_ids);
    }
    live->sequences.push_back(std::move(sequence));
    admitted.push_back(live.get());
    running_.push_back(std::move(live));
  }
  return admitted;
}

std::vector<Sequence*> Scheduler::start_choices(Sequence& first) {
  LiveRequest& request = *first.request;
  std::vector<Sequence*> all = {&first};
  INVAR_CHECK(first.pending_rows() == 0 && (first.choice == 0 || request.choices_to_start == 0));
  for (; request.choices_to_start > 0; request.choices_to_start -= 1) {
    auto sequence =
        std::make_unique<Sequence>(request, static_cast<int32_t>(all.size()), first.state.fork());
    sequence->token_ids = first.token_ids;
    sequence->history = first.history;
    all.push_back(sequence.get());
    request.sequences.push_back(std::move(sequence));
  }
  return all;
}

void Scheduler::return_promise(const LiveRequest& request, int64_t choices) {
  const RequestPlan& plan = request.state->plan;
  promised_ -= choices * plan.each;
  if (choices == request.open_choices()) {
    promised_ -= plan.shared;
  }
  sequences_running_ -= choices;
  INVAR_CHECK(StateCounts().fits(promised_) && sequences_running_ >= 0);
}

bool Scheduler::finish(Sequence& sequence) {
  LiveRequest& request = *sequence.request;
  return_promise(request, 1);
  std::erase_if(request.sequences, [&](const auto& other) { return other.get() == &sequence; });
  if (request.open_choices() > 0) {
    return false;
  }
  std::erase_if(running_, [&](const auto& live) { return live.get() == &request; });
  return true;
}

std::vector<Scheduler::Removed> Scheduler::remove(Which which) {
  std::vector<Removed> removed;
  std::erase_if(waiting_, [&](const std::shared_ptr<RequestState>& state) {
    const bool goes = which == Which::kAll ||
                      (which == Which::kCancelledOrFailed && state->cancel_requested.load());
    if (goes) {
      removed.push_back({.state = state, .failure = {}, .was_waiting = true});
    }
    return goes;
  });
  std::erase_if(running_, [&](const std::unique_ptr<LiveRequest>& live) {
    const bool goes = which != Which::kCancelledOrFailed || !live->failure.empty() ||
                      live->state->cancel_requested.load();
    if (goes) {
      return_promise(*live, live->open_choices());
      removed.push_back({.state = live->state, .failure = live->failure, .was_waiting = false});
    }
    return goes;
  });
  return removed;
}

// What one request holds, against what it was promised.
std::string Scheduler::check_request(const LiveRequest& request) const {
  for (const auto& sequence : request.sequences) {
    const int64_t computed_max = sequence->length() - (request.failure.empty() ? 1 : 0);
    if (sequence->state.positions() > computed_max) {
      return fmt::format("{} positions computed of {} tokens", sequence->state.positions(),
                         sequence->length());
    }
  }
  for (const StateUnit unit : kStateUnits) {
    std::set<int32_t> held;
    for (const auto& sequence : request.sequences) {
      const std::vector<int32_t> owned = sequence->state.owned(unit);
      held.insert(owned.begin(), owned.end());
    }
    const int64_t promised = request.state->plan.units(request.open_choices())[unit];
    if (std::ssize(held) > promised) {
      return fmt::format("a request holds {} {}s and was promised {}", held.size(), name_of(unit),
                         promised);
    }
  }
  return {};
}

std::string Scheduler::check_integrity() const {
  std::vector<const SequenceState*> states;
  StateCounts promised;
  int64_t sequences = 0;
  for (const auto& live : running_) {
    if (std::string broken = check_request(*live); !broken.empty()) {
      return broken;
    }
    promised += live->state->plan.units(live->open_choices());
    sequences += live->open_choices();
    for (const auto& sequence : live->sequences) {
      states.push_back(&sequence->state);
    }
  }
  if (std::string broken = check_owners(runner_.state_memory(), states); !broken.empty()) {
    return broken;
  }
  for (const StateUnit unit : kStateUnits) {
    if (promised[unit] != promised_[unit] || promised[unit] > rules_.units[unit]) {
      return fmt::format("{} {}s promised, {} noted, {} in the pool", promised[unit], name_of(unit),
                         promised_[unit], rules_.units[unit]);
    }
  }
  if (sequences != sequences_running_ || sequences > rules_.sequences_max) {
    return fmt::format("{} sequences, {} noted, at most {}", sequences, sequences_running_,
                       rules_.sequences_max);
  }
  return {};
}

}  // namespace invar
