// Checks and cost of depth_mix.
#include "backend/ops/depth_mix.h"

#include "backend/ops/operand_rule.h"

namespace invar {

void validate(const DepthMix& op) {
  const int64_t used = op.attributes.banks_used;
  const int64_t rows = op.out.rows;
  const int64_t width = op.out.columns;
  INVAR_CHECK(used >= 0 && used <= kDepthMixBanksMax,
              "depth_mix: expected at most {} banks, found {}", kDepthMixBanksMax, used);
  if (used > 0) {
    INVAR_CHECK(op.banks.columns >= used * width && op.banks.columns % width == 0,
                "depth_mix: expected columns for {} banks of {}, found {}", used, width,
                op.banks.columns);
    check_operand({"depth_mix", "banks", kOnlyF32, rows, op.banks.columns}, op.banks);
  }
  check_operand({"depth_mix", "running", kOnlyF32, rows, width}, op.running);
  check_operand({"depth_mix", "norm_weight", kOnlyF32, 1, width}, op.norm_weight);
  check_operand({"depth_mix", "query", kOnlyF32, 1, width}, op.query);
  check_operand({"depth_mix", "out", kOnlyF32, rows, width}, op.out);
}

Cost cost(const DepthMix& op) {
  const int64_t count = op.out.rows * op.out.columns;
  const int64_t sources = op.attributes.banks_used + 1;
  return {.read_bytes = (sources * count + 2 * op.out.columns) * 4,
          .write_bytes = count * 4,
          .flops = sources * count * 8};
}

}  // namespace invar
