// Checks and cost of rope.
#include "backend/ops/rope.h"

#include <numeric>

#include "backend/ops/operand_rule.h"

namespace invar {

void validate(const Rope& op) {
  const int64_t head_dim = op.attributes.head_dim;
  const int64_t rotated = op.table.columns;
  INVAR_CHECK(head_dim > 0, "rope: expected head_dim of at least 1, found {}", head_dim);
  INVAR_CHECK(op.x.columns % head_dim == 0,
              "rope: expected columns that are a multiple of {}, found {}", head_dim, op.x.columns);
  const int64_t room = head_dim - op.attributes.first_column;
  INVAR_CHECK(rotated % 2 == 0 && op.attributes.first_column >= 0 && rotated <= room,
              "rope: expected an even number of table columns, at most {}, found {}", room,
              rotated);
  const RopeSections& sections = op.attributes.sections;
  const int64_t pairs = std::accumulate(sections.begin(), sections.end(), int64_t{0});
  INVAR_CHECK(pairs == 0 || (2 * pairs == rotated && rotated <= kRopeStreamColumnsMax),
              "rope: expected sections of {} pairs, at most {}, found {}", rotated / 2,
              kRopeStreamColumnsMax / 2, pairs);
  check_operand({"rope", "positions", kOnlyI32, op.x.rows, pairs == 0 ? 1 : kRopeStreams},
                op.positions);
  check_operand({"rope", "table", kOnlyF32, op.table.rows, rotated}, op.table);
  check_operand({"rope", "x", kOnlyF32, op.x.rows, op.x.columns}, op.x);
}

Cost cost(const Rope& op) {
  const int64_t heads = op.x.rows * (op.x.columns / op.attributes.head_dim);
  const int64_t rotated = op.table.columns;
  return {.read_bytes = (heads + op.x.rows) * rotated * 4,
          .write_bytes = heads * rotated * 4,
          .flops = heads * rotated * 3};
}

}  // namespace invar
