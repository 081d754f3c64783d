// Checks and cost of attention.
#include "backend/ops/attention.h"

#include "backend/ops/operand_rule.h"

namespace invar {

void validate(const Attention& op) {
  const Attention::Attributes& a = op.attributes;
  const int64_t rows = op.q.rows;
  INVAR_CHECK(a.kv_heads > 0, "attention: expected kv_heads of at least 1, found {}", a.kv_heads);
  INVAR_CHECK(a.heads > 0 && a.heads % a.kv_heads == 0,
              "attention: expected heads that are a multiple of {}, found {}", a.kv_heads, a.heads);
  const int64_t head_dim_max = op.v_cache ? kAttentionHeadDimMax : kAttentionLatentDimMax;
  INVAR_CHECK(a.head_dim > 0 && a.head_dim % 16 == 0 && a.head_dim <= head_dim_max,
              "attention: expected head_dim that is a multiple of 16, at most {}, found {}",
              head_dim_max, a.head_dim);
  INVAR_CHECK(a.value_dim > 0 && a.value_dim % 16 == 0 && a.value_dim <= a.head_dim &&
                  (!op.v_cache || a.value_dim == a.head_dim),
              "attention: expected value_dim that goes with head_dim {}, found {}", a.head_dim,
              a.value_dim);
  INVAR_CHECK(op.cu_rows.rows >= 1, "attention: expected cu_rows of at least 1 row, found {}",
              op.cu_rows.rows);
  check_operand({"attention", "q", kOnlyF32, rows, a.heads * a.head_dim}, op.q);
  check_operand({"attention", "positions", kOnlyI32, rows, 1}, op.positions);
  check_operand({"attention", "cu_rows", kOnlyI32, op.cu_rows.rows, 1}, op.cu_rows);
  check_operand({"attention", "block_table", kOnlyI32, op.cu_rows.rows - 1, op.block_table.columns},
                op.block_table);
  const int64_t cache_columns = a.kv_heads * a.head_dim * kKvBlockRows;
  const DType cache_dtype[] = {op.k_cache.dtype};
  check_operand({"attention", "k_cache", kFloats, op.k_cache.rows, cache_columns}, op.k_cache);
  if (op.v_cache) {
    check_operand({"attention", "v_cache", cache_dtype, op.k_cache.rows, cache_columns},
                  op.v_cache);
  }
  check_operand({"attention", "out", kF32OrBF16, rows, a.heads * a.value_dim}, op.out);
}

Cost cost(const Attention& op) {
  const Attention::Attributes& a = op.attributes;
  const int64_t kv_row_bytes =
      (op.v_cache ? 2 : 1) * row_bytes(op.k_cache.dtype, a.kv_heads * a.head_dim);
  Cost total{.read_bytes = op.q.rows * row_bytes(op.q.dtype, op.q.columns),
             .write_bytes = op.out.rows * row_bytes(op.out.dtype, op.out.columns),
             .flops = 0};
  for (int64_t s = 0; s + 1 < op.cu_rows.rows; ++s) {
    const int64_t begin = *op.cu_rows.row<int32_t>(s);
    const int64_t end = *op.cu_rows.row<int32_t>(s + 1);
    if (begin == end) {
      continue;
    }
    total.read_bytes += (*op.positions.row<int32_t>(end - 1) + int64_t{1}) * kv_row_bytes;
    for (int64_t t = begin; t < end; ++t) {
      const int64_t keys = *op.positions.row<int32_t>(t) + int64_t{1};
      total.flops += keys * a.heads * (a.head_dim + a.value_dim) * 2;
    }
  }
  return total;
}

}  // namespace invar
