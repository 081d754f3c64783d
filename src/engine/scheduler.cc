// Admission by promise, forks of choices, and removal (scheduler.h).
#include "engine/scheduler.h"

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace invar {

Scheduler::Scheduler(PassRunner& runner) : runner_(runner) {
  // Every running sequence must be able to get its row, and its logits, in one pass.
  const PassLimits& limits = runner.limits();
  rules_ = {
      .vocabulary = runner.vocabulary(),
      .context_positions = runner.context_positions(),
      .kv_blocks = runner.kv_block_pool().count(),
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
        kv_blocks_promised_ + next.plan.kv_blocks(choices) > rules_.kv_blocks) {
      break;  // The others wait behind it: nobody overtakes.
    }
    kv_blocks_promised_ += next.plan.kv_blocks(choices);
    sequences_running_ += choices;
    auto live = std::make_unique<LiveRequest>(
        LiveRequest{.state = std::move(waiting_.front()), .choices_to_start = choices - 1});
    waiting_.pop_front();
    auto sequence = std::make_unique<Sequence>(*live, 0, runner_.make_kv_block_table());
    sequence->token_ids = live->state->request.prompt;
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
    auto sequence = std::make_unique<Sequence>(request, static_cast<int32_t>(all.size()),
                                               first.kv_blocks.fork(first.computed));
    sequence->token_ids = first.token_ids;
    sequence->computed = first.computed;
    sequence->history = first.history;
    all.push_back(sequence.get());
    request.sequences.push_back(std::move(sequence));
  }
  return all;
}

void Scheduler::return_promise(const LiveRequest& request, int64_t choices) {
  const RequestPlan& plan = request.state->plan;
  kv_blocks_promised_ -= choices * plan.kv_blocks_each;
  kv_blocks_promised_ -= choices == request.open_choices() ? plan.kv_blocks_shared : 0;
  sequences_running_ -= choices;
  INVAR_CHECK(kv_blocks_promised_ >= 0 && sequences_running_ >= 0);
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

std::string Scheduler::check_integrity() const {
  const KvBlockPool& pool = runner_.kv_block_pool();
  if (std::string broken = pool.check_integrity(); !broken.empty()) {
    return broken;
  }
  std::vector<int32_t> owners(pool.count(), 0);
  int64_t promised = 0;
  int64_t sequences = 0;
  for (const auto& live : running_) {
    promised += live->state->plan.kv_blocks(live->open_choices());
    sequences += live->open_choices();
    std::vector<int32_t> held;
    for (const auto& sequence : live->sequences) {
      const int64_t computed_max = sequence->length() - (live->failure.empty() ? 1 : 0);
      if (sequence->computed > computed_max ||
          sequence->kv_blocks.capacity_positions() < sequence->computed) {
        return fmt::format("{} positions computed of {} tokens in {} kv_blocks", sequence->computed,
                           sequence->length(), sequence->kv_blocks.kv_blocks().size());
      }
      for (const int32_t kv_block : sequence->kv_blocks.kv_blocks()) {
        owners[kv_block] += 1;
        held.push_back(kv_block);
      }
    }
    std::sort(held.begin(), held.end());
    const auto distinct = std::unique(held.begin(), held.end()) - held.begin();
    if (distinct > live->state->plan.kv_blocks(live->open_choices())) {
      return fmt::format("a request holds {} kv_blocks and was promised {}", distinct,
                         live->state->plan.kv_blocks(live->open_choices()));
    }
  }
  for (int32_t id = 0; id < pool.count(); ++id) {
    if (owners[id] != pool.references(id)) {
      return fmt::format("kv_block {}: {} references, {} owners", id, pool.references(id),
                         owners[id]);
    }
  }
  if (promised != kv_blocks_promised_ || promised > pool.count()) {
    return fmt::format("{} kv_blocks promised, {} noted, {} in the pool", promised,
                       kv_blocks_promised_, pool.count());
  }
  if (sequences != sequences_running_ || sequences > rules_.sequences_max) {
    return fmt::format("{} sequences, {} noted, at most {}", sequences, sequences_running_,
                       rules_.sequences_max);
  }
  return {};
}

}  // namespace invar
