// delta_rule on the CPU: each segment's value heads are dealt to the lanes, neighbours to one lane,
// as their state lies side by side. A lane takes a head through the segment's chunks in order, so
// it alone touches the head's part of pages and row_blocks.
#include "backend/ops/delta_rule.h"

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/row_pieces.h"
#include "backend/ops/chunk_place.h"

namespace invar {
namespace {

// The kernel's argument for the rows of one chunk.
cpu::DeltaRuleKernel piece_args(const DeltaRule& op, const ChunkPiece& piece, int64_t head) {
  const DeltaRule::Attributes& a = op.attributes;
  const int64_t key_begin = delta_rule_key_head(a, head) * a.key_dim;
  const int64_t page_begin = head * a.key_dim * a.value_dim;
  float* rows = op.rows.row<float>(piece.row_block) +
                head * (delta_rule_row_columns(a) / a.value_heads) * kChunkRows;
  return {
      .q = op.q.row<float>(piece.begin) + key_begin,
      .k = op.k.row<float>(piece.begin) + key_begin,
      .v = op.v.row<float>(piece.begin) + head * a.value_dim,
      .log_decay = op.log_decay.row<float>(piece.begin) + head * (a.channel_decay ? a.key_dim : 1),
      .beta = op.beta.row<float>(piece.begin) + head,
      .out = op.out.row<float>(piece.begin) + head * a.value_dim,
      .q_stride = op.q.stride_bytes,
      .k_stride = op.k.stride_bytes,
      .v_stride = op.v.stride_bytes,
      .decay_stride = op.log_decay.stride_bytes,
      .beta_stride = op.beta.stride_bytes,
      .out_stride = op.out.stride_bytes,
      .rows = piece.end - piece.begin,
      .place = piece.place,
      .page = piece.page < 0 ? nullptr : op.pages.row<float>(piece.page) + page_begin,
      .next_page =
          piece.next_page < 0 ? nullptr : op.pages.row<float>(piece.next_page) + page_begin,
      .k_rows = rows,
      .u_rows = rows + a.key_dim * kChunkRows,
      .gamma_rows = rows + (a.key_dim + a.value_dim) * kChunkRows,
      .key_dim = a.key_dim,
      .value_dim = a.value_dim,
      .channel_decay = a.channel_decay,
      .l2_eps = a.l2_eps,
      .scale = a.scale};
}

}  // namespace

void CpuBackend::run(const Stream& stream, const DeltaRule& op) const {
  static_assert(kDeltaRuleDimMax == cpu::DeltaRuleKernel::kDimMax);
  if (stream.lane == 0) {
    validate(op);
  }
  for (int64_t segment = 0; segment + 1 < op.cu_rows.rows; ++segment) {
    const LaneRange heads = segment_share(stream, segment, op.attributes.value_heads);
    for (int64_t head = heads.begin; head < heads.end; ++head) {
      for_each_chunk(op, segment, [&](const ChunkPiece& piece) {
        kernels_.delta_rule(piece_args(op, piece, head));
      });
    }
  }
}

}  // namespace invar
