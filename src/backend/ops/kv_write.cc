// Checks and cost of kv_write.
#include "backend/ops/kv_write.h"

#include "backend/ops/operand_rule.h"

namespace invar {

void validate(const KvWrite& op) {
  const int64_t rows = op.k.rows;
  const int64_t head_dim = op.attributes.head_dim;
  const int64_t width = op.attributes.kv_heads * head_dim;
  INVAR_CHECK(op.attributes.kv_heads > 0, "kv_write: expected kv_heads of at least 1, found {}",
              op.attributes.kv_heads);
  INVAR_CHECK(head_dim > 0 && head_dim % 16 == 0,
              "kv_write: expected head_dim that is a multiple of 16, found {}", head_dim);
  check_operand({"kv_write", "k", kOnlyF32, rows, width}, op.k);
  if (op.v) {
    check_operand({"kv_write", "v", kOnlyF32, rows, width}, op.v);
  }
  check_operand({"kv_write", "positions", kOnlyI32, rows, 1}, op.positions);
  check_operand({"kv_write", "row_segment", kOnlyI32, rows, 1}, op.row_segment);
  check_operand({"kv_write", "block_table", kOnlyI32, op.block_table.rows, op.block_table.columns},
                op.block_table);
  if (op.write_from) {
    check_operand({"kv_write", "write_from", kOnlyI32, op.block_table.rows, 1}, op.write_from);
  }
  const int64_t kv_blocks = op.k_cache.rows;
  const DType cache_dtype[] = {op.k_cache.dtype};
  check_operand({"kv_write", "k_cache", kFloats, kv_blocks, width * kKvBlockRows}, op.k_cache);
  if (op.v) {
    check_operand({"kv_write", "v_cache", cache_dtype, kv_blocks, width * kKvBlockRows},
                  op.v_cache);
  }
}

Cost cost(const KvWrite& op) {
  const int64_t width = op.attributes.kv_heads * op.attributes.head_dim;
  const int64_t parts = op.v ? 2 : 1;
  return {.read_bytes = op.k.rows * width * parts * 4,
          .write_bytes = op.k.rows * row_bytes(op.k_cache.dtype, width) * parts,
          .flops = 0};
}

}  // namespace invar
