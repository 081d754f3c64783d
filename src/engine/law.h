// The law as a check of a loaded program: the logits after a token are a pure function of the
// tokens before it, bit for bit. A baseline run is compared, byte for byte, with runs that cut,
// batch, truncate, fork, thread or compute differently; where one differs, the first op is named.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "core/state_unit.h"
#include "core/thread_team.h"
#include "engine/law_schedule.h"
#include "program/program.h"

namespace invar {

// A backend of the same class that must give the same bits: another instruction set.
struct OtherIsa {
  std::string_view name;  // "portable"
  const Backend* backend = nullptr;
};

// What is checked. Everything must outlive the check.
struct LawSubject {
  const Program* program = nullptr;  // as it runs: fused
  // The list before fusion; null if there is none (the case is skipped).
  const Program* unfused = nullptr;
  const Backend* backend = nullptr;
  ThreadTeam* team = nullptr;
  std::vector<OtherIsa> other_isas = {};
  int64_t context = 0;  // positions that the program's tables cover
};

struct LawResult {
  enum class Status { kEqual, kDiffers, kSkipped };
  std::string case_name;
  Status status = Status::kSkipped;
  // kDiffers: the lowest position at which an op wrote other bytes than in the baseline, and the
  // first such op. If no op did when the case was run again, the first position whose logits
  // differed, and an op text that says so.
  int64_t position = -1;
  std::string op = {};
  std::string why = {};  // kSkipped
  int64_t rows_compared = 0;
  // Units copied before a write because they were shared; references taken instead of copies by
  // forks, snapshots and resumes; state_pages written by passes.
  StateCounts copied = {};
  StateCounts referenced = {};
  int64_t pages_written = 0;
  double seconds = 0;
};

struct LawOptions {
  uint64_t seed = 1;      // of the prompt's random tokens and of the schedules
  int64_t tokens = 0;     // of the prompt; 0: 1,100, or the context if that is shorter
  std::string only = {};  // one case's name; empty: all
  // Called while a case runs, with its rows done and in all; may be empty.
  std::function<void(const std::string& case_name, int64_t done, int64_t total)> progress = {};
  // Called after each case, in order; may be empty.
  std::function<void(const LawResult& result)> on_result = {};
};

// Throws kBadArgument for a number of tokens that the context cannot hold or for an unknown case
// (naming those that there are), and kBadFile if the baseline's logits are not numbers.
std::vector<LawResult> check_law(const LawSubject& subject, const LawOptions& options);

// The passes of each case that check_law would run, one line a step.
std::string describe_law_schedules(const LawSubject& subject, const LawOptions& options);

// "law NAME CASE: equal", "law NAME CASE: DIFFERS position P op O", "law NAME CASE: skipped WHY"
std::string describe(const std::string& model_name, const LawResult& result);
// "1100 rows compared in 0.12 s; copied 3 kv_blocks, 0 state_pages, 2 row_blocks; referenced ...;
// 17 state_pages written"
std::string describe_details(const LawResult& result);

struct LawSummary {
  int64_t equal = 0;
  int64_t differ = 0;

  bool holds() const { return differ == 0 && equal > 0; }
};
LawSummary summarize(const std::vector<LawResult>& results);
// "N equal, M differ"
std::string describe(const LawSummary& summary);

}  // namespace invar
