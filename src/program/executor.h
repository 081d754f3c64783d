// Runs a program's op list over pass tables. One list, several ways to walk it: plain, profiled
// (time per op) and hashed (a digest per row per op, so that two runs can be compared).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "core/anonymous_memory.h"
#include "core/thread_team.h"
#include "program/program.h"

namespace invar {

// One op's share of a profiled run, summed over passes.
struct OpProfile {
  int node = 0;
  int64_t calls = 0;
  double seconds = 0;
  Cost cost;  // the floor, summed
};

// The digests of one hashed pass: for each op that writes a value, one 64-bit digest for each row
// of its row set (of all its routed rows together).
struct OpDigests {
  int node = 0;
  RowSet rows = RowSet::kPass;
  Value window;  // what was written
  std::vector<uint64_t> row_digests;
};

// Owns the arena. The program, backend, team, state buffers and tables must outlive it. Not
// thread-safe: one run at a time. A run allocates nothing (but for the hashed mode's digests).
class Executor {
 public:
  struct Parts {
    const Program* program = nullptr;
    const Backend* backend = nullptr;
    ThreadTeam* team = nullptr;
    std::vector<TensorView> state_buffers;  // by state buffer id
    const PassTables* tables = nullptr;
  };
  explicit Executor(Parts parts);

  // Runs the pass that the tables describe now.
  void run();
  // The same arithmetic, timed op by op.
  void run_profiled(std::vector<OpProfile>& profile);
  // The same arithmetic; returns what each op wrote, as digests.
  std::vector<OpDigests> run_hashed();

  // The output of the last run: [logit rows, vocabulary] f32, valid until the next run.
  TensorView logits() const;

  int64_t arena_bytes() const { return arena_plan_.bytes; }

  // For tests of the law: fills the arena with NaN, so that a read of what no op wrote shows.
  void poison_arena();

 private:
  Binding binding() const;
  void run_share(int64_t op, int lane, const Binding& bound) const;

  Parts parts_;
  ArenaPlan arena_plan_;
  AnonymousMemory arena_;
};

}  // namespace invar
