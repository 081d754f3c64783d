// Checks of the limits and assembly of the parts (runner.h).
#include "engine/runner.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/error.h"

namespace invar {
namespace {

// Positions and kv_block ids are 32-bit numbers in the tables.
constexpr int64_t kCountMax = int64_t{1} << 30;

RunnerLimits checked(RunnerLimits limits) {
  const std::pair<std::string_view, int64_t> counts[] = {
      {"context", limits.context_positions},
      {"rows of a pass", limits.rows_max},
      {"segments of a pass", limits.segments_max},
      {"logit rows of a pass", limits.logit_rows_max},
  };
  for (const auto& [name, count] : counts) {
    if (count < 1 || count > kCountMax) {
      fail(Code::kBadArgument, "{}: expected 1 to {}, found {}", name, kCountMax, count);
    }
  }
  if (limits.kv_blocks == 0) {
    limits.kv_blocks = kv_blocks_for(limits.context_positions);
  }
  if (limits.kv_blocks < 1 || limits.kv_blocks > kCountMax) {
    fail(Code::kBadArgument, "kv_blocks: expected 1 to {}, found {}", kCountMax, limits.kv_blocks);
  }
  // With fewer, not even one sequence could always go on.
  const std::pair<std::string_view, int64_t*> recurrent[] = {{"state_pages", &limits.state_pages},
                                                             {"row_blocks", &limits.row_blocks}};
  for (const auto& [name, count] : recurrent) {
    if (*count == 0) {
      *count = std::min(kCountMax, kRecurrentUnitsMax * limits.segments_max);
    }
    if (*count < kRecurrentUnitsMax || *count > kCountMax) {
      fail(Code::kBadArgument, "{}: expected {} to {}, found {}", name, kRecurrentUnitsMax,
           kCountMax, *count);
    }
  }
  return limits;
}

StateCounts state_counts(const RunnerLimits& limits) {
  return StateCounts::of({.kv_blocks = limits.kv_blocks,
                          .state_pages = limits.state_pages,
                          .row_blocks = limits.row_blocks});
}

PassLimits pass_limits(const RunnerLimits& limits, std::span<const StateBufferSpec> buffers) {
  const bool paged = std::ranges::any_of(
      buffers, [](const StateBufferSpec& buffer) { return buffer.unit == StateUnit::kKvBlock; });
  return {.rows_max = limits.rows_max,
          .segments_max = limits.segments_max,
          .logit_rows_max = limits.logit_rows_max,
          .kv_blocks_max = paged ? kv_blocks_for(limits.context_positions) : 0};
}

std::vector<StateBufferSpec> state_buffers_of(const Program& program) {
  std::vector<StateBufferSpec> specs;
  for (const StateBufferInfo& info : program.state_buffers) {
    specs.push_back(
        {.name = info.name, .dtype = info.dtype, .columns = info.columns, .unit = info.unit});
  }
  return specs;
}

}  // namespace

PassRunner::PassRunner(const RunnerLimits& limits, int64_t vocabulary,
                       std::span<const StateBufferSpec> state_buffers)
    : vocabulary_(vocabulary),
      context_positions_(checked(limits).context_positions),
      tables_(pass_limits(limits, state_buffers)),
      memory_(state_buffers, state_counts(checked(limits))) {
  INVAR_CHECK(vocabulary > 0);
}

Runner::Runner(const Parts& parts, const RunnerLimits& limits)
    : PassRunner(limits, parts.program->output.columns, state_buffers_of(*parts.program)),
      program_(parts.program),
      executor_({.program = parts.program,
                 .backend = parts.backend,
                 .team = parts.team,
                 .state_buffers = state_storage().buffers(),
                 .tables = &tables()}) {
  const LayerSpec spec = merge_layer_specs(derive_layer_specs(*program_));
  if (limits.context_positions > spec.positions_max) {
    fail(Code::kBadArgument, "context: the model's positions end at {}, found {}",
         spec.positions_max, limits.context_positions);
  }
}

std::span<const float> Runner::logits_row(int64_t index) const {
  const TensorView logits = executor_.logits();
  INVAR_CHECK(index >= 0 && index < logits.rows, "logit row {} of {}", index, logits.rows);
  return {logits.row<const float>(index), static_cast<size_t>(logits.columns)};
}

}  // namespace invar
