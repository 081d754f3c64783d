// Checks and cost of moe_route.
#include "backend/ops/moe_route.h"

#include "backend/ops/operand_rule.h"

namespace invar {

void validate(const MoeRoute& op) {
  const MoeRouteAttributes& a = op.attributes;
  const int64_t rows = op.ids.rows;
  const int64_t experts = op.logits.columns;
  INVAR_CHECK(experts >= 1 && experts <= kMoeExpertsMax,
              "moe_route: expected 1 to {} experts, found {}", kMoeExpertsMax, experts);
  INVAR_CHECK(a.groups >= 1 && experts % a.groups == 0 && a.groups_used >= 1 &&
                  a.groups_used <= std::min(a.groups, kMoeTopKMax),
              "moe_route: expected {} experts in equal groups, found {} of {} groups", experts,
              a.groups_used, a.groups);
  const int64_t choice = experts / a.groups * a.groups_used;
  INVAR_CHECK(a.top_k >= 1 && a.top_k <= std::min(choice, kMoeTopKMax),
              "moe_route: expected a top_k of 1 to {}, found {}", std::min(choice, kMoeTopKMax),
              a.top_k);
  check_operand({"moe_route", "logits", kOnlyF32, rows, experts}, op.logits);
  if (op.bias) {
    check_operand({"moe_route", "bias", kOnlyF32, 1, experts}, op.bias);
  }
  check_operand({"moe_route", "ids", kOnlyI32, rows, a.top_k}, op.ids);
  check_operand({"moe_route", "weights", kOnlyF32, rows, a.top_k}, op.weights);
}

Cost cost(const MoeRoute& op) {
  const int64_t scores = op.logits.rows * op.logits.columns;
  constexpr int64_t kFlopsEach = 20;  // exp's polynomial and reduction, a division, a comparison
  return {.read_bytes = (scores + (op.bias ? op.bias.columns : 0)) * 4,
          .write_bytes = op.ids.rows * op.ids.columns * 8,
          .flops = scores * kFlopsEach};
}

}  // namespace invar
