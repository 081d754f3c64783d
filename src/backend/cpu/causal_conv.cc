// causal_conv on the CPU: each segment's channels are dealt to the lanes. A lane takes some
// channels through the segment's chunks in order, so it alone touches their part of pages and
// row_blocks.
#include "backend/ops/causal_conv.h"

#include <algorithm>
#include <cstring>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/row_pieces.h"
#include "backend/ops/chunk_place.h"

namespace invar {
namespace {

constexpr int64_t kTile = 16;  // channels of a cache line
// Taken through all rows together: long runs in memory, and some rows of them in the first cache.
constexpr int64_t kChannels = 1024;
constexpr float kZeros[kChannels] = {};

// Channels [begin, begin + count) of the inputs at and before a segment's rows.
class ConvInputs {
 public:
  ConvInputs(const CausalConv& op, const ChunkPiece& first, int64_t begin)
      : op_(op), first_(first), begin_(begin) {}

  // Of row t of the op, or of the row `first_.begin - t` positions before the segment's first.
  const float* at(int64_t t) const {
    if (t >= first_.begin) {
      return op_.x.row<float>(t) + begin_;
    }
    const int64_t place = first_.place + t - first_.begin;
    if (place >= 0) {
      return op_.rows.row<float>(first_.row_block) + place * op_.out.columns + begin_;
    }
    if (first_.page < 0) {
      return kZeros;
    }
    const int64_t index = op_.attributes.taps - 1 + place;
    return op_.pages.row<float>(first_.page) + index * op_.out.columns + begin_;
  }

 private:
  const CausalConv& op_;
  const ChunkPiece first_;
  int64_t begin_;
};

// Channels [begin, end) of a segment, at most kChannels.
void convolve(const CausalConv& op, const cpu::KernelTable& kernels, int64_t segment, int64_t begin,
              int64_t end) {
  const int64_t channels = op.out.columns;
  const int64_t taps = op.attributes.taps;
  ChunkPiece first;
  bool started = false;
  cpu::CausalConvKernel args{.x = {},
                             .weight = op.weight.row<float>(0) + begin,
                             .weight_stride = op.weight.stride_bytes,
                             .bias = op.bias ? op.bias.row<float>(0) + begin : nullptr,
                             .kept = nullptr,
                             .out = nullptr,
                             .taps = static_cast<int>(taps),
                             .silu = op.attributes.silu,
                             .count = end - begin};
  for_each_chunk(op, segment, [&](const ChunkPiece& piece) {
    first = started ? first : piece;
    started = true;
    const ConvInputs inputs(op, first, begin);
    for (int64_t t = piece.begin; t < piece.end; ++t) {
      for (int64_t j = 0; j < taps; ++j) {
        args.x[j] = inputs.at(t - taps + 1 + j);
      }
      args.kept =
          op.rows.row<float>(piece.row_block) + (piece.place + t - piece.begin) * channels + begin;
      args.out = op.out.row<float>(t) + begin;
      kernels.causal_conv(args);
    }
    for (int64_t i = 0; piece.next_page >= 0 && i < taps - 1; ++i) {
      std::memcpy(op.pages.row<float>(piece.next_page) + i * channels + begin,
                  inputs.at(piece.end - taps + 1 + i), args.count * sizeof(float));
    }
  });
}

}  // namespace

void CpuBackend::run(const Stream& stream, const CausalConv& op) const {
  static_assert(kCausalConvTapsMax == cpu::CausalConvKernel::kTapsMax);
  if (stream.lane == 0) {
    validate(op);
  }
  const int64_t channels = op.out.columns;
  for (int64_t segment = 0; segment + 1 < op.cu_rows.rows; ++segment) {
    const LaneRange tiles = segment_share(stream, segment, (channels + kTile - 1) / kTile);
    const int64_t end = std::min(tiles.end * kTile, channels);
    for (int64_t begin = tiles.begin * kTile; begin < end; begin += kChannels) {
      convolve(op, kernels_, segment, begin, std::min(begin + kChannels, end));
    }
  }
}

}  // namespace invar
