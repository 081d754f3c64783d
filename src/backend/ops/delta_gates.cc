// Checks and cost of delta_gates.
#include "backend/ops/delta_gates.h"

#include "backend/ops/operand_rule.h"

namespace invar {

void validate(const DeltaGates& op) {
  const int64_t heads = op.attributes.heads;
  const int64_t rows = op.beta.rows;
  const int64_t columns = op.log_decay.columns;
  INVAR_CHECK(heads > 0 && columns > 0 && columns % heads == 0,
              "delta_gates: expected decays that are a multiple of {} heads, found {}", heads,
              columns);
  check_operand({"delta_gates", "a", kOnlyF32, rows, columns}, op.a);
  check_operand({"delta_gates", "b", kOnlyF32, rows, heads}, op.b);
  check_operand({"delta_gates", "a_log", kOnlyF32, 1, heads}, op.a_log);
  check_operand({"delta_gates", "dt_bias", kOnlyF32, 1, columns}, op.dt_bias);
  check_operand({"delta_gates", "log_decay", kOnlyF32, rows, columns}, op.log_decay);
  check_operand({"delta_gates", "beta", kOnlyF32, rows, heads}, op.beta);
}

Cost cost(const DeltaGates& op) {
  const int64_t count = op.beta.rows * (op.log_decay.columns + op.beta.columns);
  constexpr int64_t kFlopsEach = 40;  // an exponential and a series
  return {.read_bytes = (count + op.log_decay.columns + op.beta.columns) * 4,
          .write_bytes = count * 4,
          .flops = count * kFlopsEach};
}

}  // namespace invar
