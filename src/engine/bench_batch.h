// Measures an engine with several requests at a time, without a server: what a server's figures
// are compared with. The output is checked in the same run.
#pragma once

#include <cstdint>

#include "engine/engine.h"

namespace invar {

struct BatchBenchOptions {
  int64_t sequences = 16;  // submitted together; each has a prompt of its own
  int64_t prompt_tokens = 512;
  int64_t decode_tokens = 64;  // tokens of each answer
  int repeats = 3;
  int64_t vocabulary = 0;
  uint64_t seed = 1;
};

// Medians of the repeats where nothing else is said.
struct BatchBenchResult {
  double first_token_seconds = 0;  // from the submission to the first token of any answer
  double least_first_token_seconds = 0;
  double seconds = 0;  // from the submission to the last token of all
  // The tokens that an answer has in the batch are those it has alone.
  bool output_checked = false;
  double tokens_per_second = 0;  // of all answers
};

// The engine must be started and idle. Error kBadArgument for requests that could never run,
// kExhausted for one that was refused or failed.
BatchBenchResult run_batch_bench(Engine& engine, const BatchBenchOptions& options);

}  // namespace invar
