// Placement of values in one arena by lifetime: large values first, each at the lowest offset that
// is free while it lives. A step then allocates nothing.
#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "program/program.h"

namespace invar {
namespace {

constexpr int64_t kAlignment = 64;  // a cache line and the widest vector

int64_t value_bytes(const ValueInfo& info, const PassLimits& limits) {
  const int64_t rows = info.rows == RowSet::kPass ? limits.rows_max : limits.logit_rows_max;
  const int64_t bytes = rows * info.row_factor * row_bytes(info.dtype, info.columns);
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

bool lifetimes_meet(const ValuePlacement& a, const ValuePlacement& b) {
  return a.first_node <= b.last_node && b.first_node <= a.last_node;
}

}  // namespace

ArenaPlan plan_arena(const Program& program, const PassLimits& limits) {
  const auto count = static_cast<int>(program.values.size());
  ArenaPlan plan;
  plan.values.assign(count, {.offset_bytes = 0, .first_node = -1, .last_node = -1});
  for (int node = 0; node < static_cast<int>(program.nodes.size()); ++node) {
    program.nodes[node]->visit([&](const char* /*field*/, Use use, const Operand& operand) {
      if (operand.kind != OperandKind::kValue) {
        return;
      }
      ValuePlacement& value = plan.values[operand.index];
      INVAR_CHECK(value.first_node >= 0 || use == Use::kWrite, "value {} read before written",
                  operand.index);
      value.first_node = value.first_node < 0 ? node : value.first_node;
      value.last_node = node;
    });
  }
  if (program.output) {
    // The caller reads the output after the last op.
    plan.values[program.output.id].last_node = static_cast<int>(program.nodes.size());
  }

  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return value_bytes(program.values[a], limits) > value_bytes(program.values[b], limits);
  });

  std::vector<int> placed;
  for (int id : order) {
    ValuePlacement& value = plan.values[id];
    if (value.first_node < 0) {
      continue;  // never used: a fusion rule removed it
    }
    const int64_t bytes = value_bytes(program.values[id], limits);
    std::vector<int> meeting;
    std::copy_if(placed.begin(), placed.end(), std::back_inserter(meeting),
                 [&](int other) { return lifetimes_meet(value, plan.values[other]); });
    std::sort(meeting.begin(), meeting.end(), [&](int a, int b) {
      return plan.values[a].offset_bytes < plan.values[b].offset_bytes;
    });
    int64_t offset = 0;
    for (int other : meeting) {
      if (plan.values[other].offset_bytes >= offset + bytes) {
        break;
      }
      offset = std::max(
          offset, plan.values[other].offset_bytes + value_bytes(program.values[other], limits));
    }
    value.offset_bytes = offset;
    plan.bytes = std::max(plan.bytes, offset + bytes);
    placed.push_back(id);
  }
  return plan;
}

}  // namespace invar
