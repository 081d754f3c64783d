// A program ready to run: tables, state memory and executor, made once at start.
// `PassRunner` is what scheduler, engine and timelines use; `Runner` runs a real program, and tests
// put a pretended one in its place.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cache/sequence_state.h"
#include "program/executor.h"

namespace invar {

// What is allocated at start. Every count must be at least 1 where nothing else is said.
struct RunnerLimits {
  int64_t context_positions = 4096;  // of one sequence
  int64_t kv_blocks = 0;             // of all sequences together; 0: one sequence's context
  // Of all sequences together, where the program has recurrent layers; 0: enough for segments_max
  // sequences that accept their rows as they are computed. Else at least kRecurrentUnitsMax.
  int64_t state_pages = 0;
  int64_t row_blocks = 0;
  int64_t rows_max = 512;       // of a pass
  int64_t segments_max = 16;    // of a pass
  int64_t logit_rows_max = 16;  // of a pass
};

// Usage: tables().clear(), tables().add() for each segment, run(), logits_row(i). One thread at a
// time. States of sequences must not outlive it.
class PassRunner {
 public:
  virtual ~PassRunner() = default;
  PassRunner(const PassRunner&) = delete;
  PassRunner& operator=(const PassRunner&) = delete;

  // Runs the pass that the tables describe now.
  virtual void run() = 0;
  // Of the last run: `vocabulary` values for the pass's logit row `index`, valid until the next.
  virtual std::span<const float> logits_row(int64_t index) const = 0;

  int64_t vocabulary() const { return vocabulary_; }
  int64_t context_positions() const { return context_positions_; }
  const PassLimits& limits() const { return tables_.limits(); }
  PassTables& tables() { return tables_; }
  StateMemory& state_memory() { return memory_; }
  const StateMemory& state_memory() const { return memory_; }
  StateStorage& state_storage() { return memory_.storage(); }
  StateUnitPool& kv_block_pool() { return memory_.pool(StateUnit::kKvBlock); }
  SequenceState make_sequence_state() { return SequenceState(memory_); }

 protected:
  // Throws kBadArgument for a limit below its least, and what StateStorage throws.
  PassRunner(const RunnerLimits& limits, int64_t vocabulary,
             std::span<const StateBufferSpec> state_buffers);

 private:
  int64_t vocabulary_;
  int64_t context_positions_;
  PassTables tables_;
  StateMemory memory_;
};

class Runner final : public PassRunner {
 public:
  // All must outlive the runner.
  struct Parts {
    const Program* program = nullptr;
    const Backend* backend = nullptr;
    ThreadTeam* team = nullptr;
  };
  // Throws kBadArgument if the context is longer than the program's position tables.
  Runner(const Parts& parts, const RunnerLimits& limits);

  void run() override { executor_.run(); }
  std::span<const float> logits_row(int64_t index) const override;

  // The same arithmetic as run(), timed or digested op by op (program/executor.h).
  void run_profiled(std::vector<OpProfile>& profile) { executor_.run_profiled(profile); }
  std::vector<OpDigests> run_hashed() { return executor_.run_hashed(); }

  const Program& program() const { return *program_; }
  int64_t arena_bytes() const { return executor_.arena_bytes(); }
  void poison_arena() { executor_.poison_arena(); }  // for tests

 private:
  const Program* program_;
  Executor executor_;
};

}  // namespace invar
