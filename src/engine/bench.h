// Measures a loaded model: prefill and decode rates, with the output checked in the same run.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/runner.h"

namespace invar {

struct BenchOptions {
  int64_t prompt_tokens = 512;
  int64_t decode_tokens = 64;
  int repeats = 3;       // the median is reported
  bool profile = false;  // one more run of each, timed op by op
  uint64_t seed = 1;
};

struct BenchResult {
  double prefill_seconds = 0;      // of prompt_tokens, logits of the last row only
  double decode_seconds = 0;       // of decode_tokens, one at a time, after the prompt
  double first_token_seconds = 0;  // prompt and the choice of the first token
  // The last row's logits of the prompt have the same bytes when it is cut into other passes.
  bool output_checked = false;
  bool output_finite = false;  // of those logits; they count as checked only if they are
  std::vector<OpProfile> prefill_profile;
  std::vector<OpProfile> decode_profile;
};

// The context must hold prompt and decoded tokens (kBadArgument otherwise).
BenchResult run_bench(Runner& runner, const BenchOptions& options);

// One row of a profile summed over layers.
struct ProfileRow {
  std::string op;  // name and label without layer numbers
  int64_t calls = 0;
  double seconds = 0;
  Cost cost;
};

// Sorted by time, longest first.
std::vector<ProfileRow> summarize_profile(const Program& program,
                                          const std::vector<OpProfile>& profile);

}  // namespace invar
