// One sequence on a runner, without a scheduler: what `logits`, `verify` and `law` use. The caller
// chooses how the tokens are cut into passes, and gets the logits of the rows that it wants.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/runner.h"

namespace invar {

// Which rows of an append have their logits computed.
enum class LogitRows { kNone, kLast, kAll };

// Called once for each wanted row, in order of position. The logits are valid during the call.
using LogitSink = std::function<void(int64_t position, std::span<const float> logits)>;

// Holds kv_blocks of the runner, which must outlive it; move-only; one thread at a time.
class Timeline {
 public:
  explicit Timeline(PassRunner& runner) : Timeline(runner, runner.make_kv_block_table()) {}

  int64_t positions() const { return positions_; }
  std::span<const int32_t> kv_blocks() const { return kv_blocks_.kv_blocks(); }

  struct Append {
    std::span<const int32_t> token_ids = {};
    // Rows of each pass; must sum to the tokens. Empty: passes as large as the limits allow. A
    // piece over the limits is a bug of the caller.
    std::span<const int64_t> pieces = {};
    LogitRows rows = LogitRows::kLast;
    // How a pass is run: for example Runner::run_hashed. Empty: PassRunner::run.
    std::function<void()> run = {};
  };
  // Throws kBadArgument for a token id outside the vocabulary and for more positions than the
  // context, and kExhausted when the pool has too few kv_blocks; nothing was appended then.
  void append(const Append& append, const LogitSink& sink);
  // The same; returns the wanted rows, one after the other.
  std::vector<float> append(const Append& append);

  // Forgets the positions from `positions` on.
  void truncate(int64_t positions);
  // A second timeline with the same prefix; kv_blocks are shared until one of the two writes.
  Timeline fork() const { return {*runner_, kv_blocks_.fork(positions_), positions_}; }

 private:
  Timeline(PassRunner& runner, KvBlockTable kv_blocks, int64_t positions = 0)
      : runner_(&runner), kv_blocks_(std::move(kv_blocks)), positions_(positions) {}

  void check(const Append& append) const;
  int64_t rows_of_pass(const Append& append, int64_t rows_left) const;
  void run_pass(const Append& append, std::span<const int32_t> token_ids, bool ends_append,
                const LogitSink& sink);

  PassRunner* runner_;
  KvBlockTable kv_blocks_;
  int64_t positions_ = 0;
};

}  // namespace invar
