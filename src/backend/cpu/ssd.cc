// ssd on the CPU: each segment's heads, as many as are computed together, are dealt to the lanes,
// neighbours to one lane, as their state lies side by side. A lane takes its heads through the
// segment's chunks in order, so it alone touches their part of pages and row_blocks.
#include "backend/ops/ssd.h"

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/row_pieces.h"
#include "backend/ops/chunk_place.h"

namespace invar {
namespace {

// The kernel's argument for the rows of one chunk and the heads [head, head + together).
cpu::SsdKernel piece_args(const Ssd& op, const ChunkPiece& piece, int64_t head) {
  const Ssd::Attributes& a = op.attributes;
  const int64_t together = ssd_heads_together(a);
  const int64_t group_begin = head / (a.heads / a.groups) * a.state_size;
  const int64_t page_begin = head * a.state_size * a.head_dim;
  const int64_t row_columns = a.state_size + together * (a.head_dim + 1);
  float* rows = op.rows.row<float>(piece.row_block) + head / together * row_columns * kChunkRows;
  return {.x = op.x.row<float>(piece.begin) + head * a.head_dim,
          .b = op.b.row<float>(piece.begin) + group_begin,
          .c = op.c.row<float>(piece.begin) + group_begin,
          .dt = op.dt.row<float>(piece.begin) + head,
          .dt_bias = op.dt_bias.row<float>(0) + head,
          .a_log = op.a_log.row<float>(0) + head,
          .d = op.d.row<float>(0) + head,
          .out = op.out.row<float>(piece.begin) + head * a.head_dim,
          .x_stride = op.x.stride_bytes,
          .b_stride = op.b.stride_bytes,
          .c_stride = op.c.stride_bytes,
          .dt_stride = op.dt.stride_bytes,
          .out_stride = op.out.stride_bytes,
          .rows = piece.end - piece.begin,
          .place = piece.place,
          .page = piece.page < 0 ? nullptr : op.pages.row<float>(piece.page) + page_begin,
          .next_page =
              piece.next_page < 0 ? nullptr : op.pages.row<float>(piece.next_page) + page_begin,
          .b_rows = rows,
          .x_rows = rows + a.state_size * kChunkRows,
          .gamma_rows = rows + (a.state_size + together * a.head_dim) * kChunkRows,
          .heads = together,
          .state_size = a.state_size,
          .head_dim = a.head_dim,
          .dt_min = a.dt_min,
          .dt_max = a.dt_max};
}

}  // namespace

void CpuBackend::run(const Stream& stream, const Ssd& op) const {
  static_assert(kSsdDimMax == cpu::SsdKernel::kDimMax);
  if (stream.lane == 0) {
    validate(op);
  }
  const int64_t together = ssd_heads_together(op.attributes);
  for (int64_t segment = 0; segment + 1 < op.cu_rows.rows; ++segment) {
    const LaneRange parts = segment_share(stream, segment, op.attributes.heads / together);
    for (int64_t part = parts.begin; part < parts.end; ++part) {
      for_each_chunk(op, segment, [&](const ChunkPiece& piece) {
        kernels_.ssd(piece_args(op, piece, part * together));
      });
    }
  }
}

}  // namespace invar
