// attention on the CPU. The query vectors that share a kv head (the heads of its group, of all rows
// of a segment, row by row) are cut into tasks of 8 (of latents 16), and the tasks are dealt to the
// lanes in turn: later rows see more keys, so neighbours cost alike. The cut changes no bit.
#include "backend/ops/attention.h"

#include <algorithm>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/element_of.h"
#include "backend/ops/kv_place.h"

namespace invar {
namespace {

struct SegmentRows {
  int64_t segment;
  int64_t begin;
  int64_t end;
};

SegmentRows segment_rows(const Attention& op, int64_t segment) {
  const SegmentRows rows{segment, *op.cu_rows.row<int32_t>(segment),
                         *op.cu_rows.row<int32_t>(segment + 1)};
  INVAR_CHECK(rows.begin >= 0 && rows.begin <= rows.end && rows.end <= op.q.rows,
              "attention: segment {} has rows {}..{} of {}", segment, rows.begin, rows.end,
              op.q.rows);
  return rows;
}

// The kernel's argument for the query vectors [first, first + count) of a kv head, where vector i
// is head i % group of row i / group.
cpu::AttentionKernel task_args(const Attention& op, const SegmentRows& rows, int64_t kv_head,
                               int64_t first, int64_t count) {
  const Attention::Attributes& a = op.attributes;
  const int64_t group = a.heads / a.kv_heads;
  const int64_t kv_head_bytes = row_bytes(op.k_cache.dtype, a.head_dim * kKvBlockRows);
  cpu::AttentionKernel args{.queries = static_cast<int>(count),
                            .q = {},
                            .out = {},
                            .position = {},
                            .out_element = element_of(op.out.dtype),
                            .cache_element = element_of(op.k_cache.dtype),
                            .k_cache = op.k_cache.row<std::byte>(0) + kv_head * kv_head_bytes,
                            .v_cache = nullptr,
                            .k_stride = op.k_cache.stride_bytes,
                            .v_stride = op.v_cache.stride_bytes,
                            .block_table = op.block_table.row<int32_t>(rows.segment),
                            .head_dim = a.head_dim,
                            .value_dim = a.value_dim,
                            .scale = a.scale,
                            .cold = false};
  if (op.v_cache) {
    args.v_cache = op.v_cache.row<std::byte>(0) + kv_head * kv_head_bytes;
  }
  const int64_t first_position = *op.positions.row<int32_t>(rows.begin);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t row = rows.begin + (first + i) / group;
    const int64_t head = kv_head * group + (first + i) % group;
    const int64_t position = *op.positions.row<int32_t>(row);
    INVAR_CHECK(first_position >= 0 && position == first_position + (row - rows.begin),
                "attention: row {} of segment {}: expected position {}, found {}", row,
                rows.segment, first_position + (row - rows.begin), position);
    args.q[i] = op.q.row<float>(row) + head * a.head_dim;
    args.out[i] = op.out.row<std::byte>(row) + row_bytes(op.out.dtype, head * a.value_dim);
    args.position[i] = static_cast<int32_t>(position);
  }
  return args;
}

// The kernel reads the table without checks.
void check_block_table(const Attention& op, const SegmentRows& rows) {
  const int64_t last = *op.positions.row<int32_t>(rows.end - 1);
  for (int64_t position = 0; position <= last; position += kKvBlockRows) {
    (void)kv_place(op.block_table, rows.segment, position, op.k_cache.rows);
  }
}

}  // namespace

void CpuBackend::run(const Stream& stream, const Attention& op) const {
  static_assert(kAttentionHeadDimMax == cpu::AttentionKernel::kOwnHeadDimMax);
  static_assert(kAttentionLatentDimMax == cpu::AttentionKernel::kHeadDimMax);
  if (stream.lane == 0) {
    validate(op);
  }
  const int64_t together =
      op.v_cache ? cpu::AttentionKernel::kOwnQueriesMax : cpu::AttentionKernel::kQueriesMax;
  const int64_t group = op.attributes.heads / op.attributes.kv_heads;
  int64_t item = 0;
  for (int64_t segment = 0; segment + 1 < op.cu_rows.rows; ++segment) {
    const SegmentRows rows = segment_rows(op, segment);
    if (rows.begin == rows.end) {
      continue;
    }
    check_block_table(op, rows);
    const int64_t vectors = (rows.end - rows.begin) * group;
    for (int64_t kv_head = 0; kv_head < op.attributes.kv_heads; ++kv_head) {
      for (int64_t first = 0; first < vectors; first += together) {
        if (item++ % stream.lanes == stream.lane) {
          const int64_t count = std::min(together, vectors - first);
          cpu::AttentionKernel args = task_args(op, rows, kv_head, first, count);
          // Later tasks find in cache what the first task of each lane loaded.
          args.cold = first < together * stream.lanes;
          kernels_.attention(args);
        }
      }
    }
  }
}

}  // namespace invar
