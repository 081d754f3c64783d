// Checks and cost of delta_rule.
#include "backend/ops/delta_rule.h"

#include "backend/ops/chunk_place.h"

namespace invar {

int64_t delta_rule_key_head(const DeltaRuleAttributes& a, int64_t value_head) {
  return a.tiled_heads ? value_head % a.key_heads : value_head / (a.value_heads / a.key_heads);
}

int64_t delta_rule_page_columns(const DeltaRuleAttributes& a) {
  return a.value_heads * a.key_dim * a.value_dim;
}

int64_t delta_rule_row_columns(const DeltaRuleAttributes& a) {
  return a.value_heads * (a.key_dim + a.value_dim + (a.channel_decay ? a.key_dim : 1));
}

void validate(const DeltaRule& op) {
  const DeltaRule::Attributes& a = op.attributes;
  const int64_t rows = op.out.rows;
  INVAR_CHECK(a.key_heads > 0 && a.value_heads > 0 && a.value_heads % a.key_heads == 0,
              "delta_rule: expected value heads that are a multiple of key heads, found {} and {}",
              a.value_heads, a.key_heads);
  for (int64_t dim : {a.key_dim, a.value_dim}) {
    INVAR_CHECK(dim > 0 && dim % 16 == 0 && dim <= kDeltaRuleDimMax,
                "delta_rule: expected head sizes that are multiples of 16, at most {}, found {}",
                kDeltaRuleDimMax, dim);
  }
  const int64_t decays = a.value_heads * (a.channel_decay ? a.key_dim : 1);
  check_operand({"delta_rule", "q", kOnlyF32, rows, a.key_heads * a.key_dim}, op.q);
  check_operand({"delta_rule", "k", kOnlyF32, rows, a.key_heads * a.key_dim}, op.k);
  check_operand({"delta_rule", "v", kOnlyF32, rows, a.value_heads * a.value_dim}, op.v);
  check_operand({"delta_rule", "log_decay", kOnlyF32, rows, decays}, op.log_decay);
  check_operand({"delta_rule", "beta", kOnlyF32, rows, a.value_heads}, op.beta);
  check_chunk_operands(op, delta_rule_page_columns(a), delta_rule_row_columns(a));
  check_operand({"delta_rule", "out", kOnlyF32, rows, a.value_heads * a.value_dim}, op.out);
}

Cost cost(const DeltaRule& op) {
  const DeltaRule::Attributes& a = op.attributes;
  const int64_t page = delta_rule_page_columns(a);
  Cost total = chunk_cost(op, page, delta_rule_row_columns(a));
  const int64_t input_columns =
      op.q.columns + op.k.columns + op.v.columns + op.log_decay.columns + op.beta.columns;
  total.read_bytes += op.out.rows * input_columns * 4;
  total.write_bytes += op.out.rows * op.out.columns * 4;
  for (int64_t s = 0; s + 1 < op.cu_rows.rows; ++s) {
    for_each_chunk(op, s, [&](const ChunkPiece& piece) {
      const int64_t rows = piece.end - piece.begin;
      const int64_t places = rows * piece.place + rows * (rows + 1) / 2;
      total.flops += piece.page >= 0 ? rows * page * 4 : 0;
      total.flops += places * a.value_heads * (a.key_dim + a.value_dim) * 4;
      total.flops += piece.next_page >= 0 ? kChunkRows * page * 2 : 0;
    });
  }
  return total;
}

}  // namespace invar
