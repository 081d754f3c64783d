// Measures what the verification of drafts costs: a step of several rows, whose logits are all
// wanted and whose rows are then rejected, against a step of one row at the same position.
#pragma once

#include <cstdint>

#include "engine/runner.h"

namespace invar {

struct VerifyBenchOptions {
  int64_t rows = 4;             // of a verification; at most the limits' logit_rows_max
  int64_t prompt_tokens = 512;  // before the first step
  int64_t steps = 64;           // positions at which both are measured
  uint64_t seed = 1;
};

struct VerifyBenchResult {
  // Medians over the steps, which alternate, so that a busy machine slows both.
  double decode_seconds = 0;
  double verify_seconds = 0;  // of options.rows rows
  double reject_seconds = 0;  // of forgetting them
  // Blocks and pages of state that were copied while rows were verified and rejected.
  int64_t units_copied = 0;
  // Every verified row has the bytes of the logits that decoding gives.
  bool output_checked = false;
};

// Error kBadArgument where the context is too short.
VerifyBenchResult run_verify_bench(PassRunner& runner, const VerifyBenchOptions& options);

}  // namespace invar
