// The definition of causal_conv: a window that slides over the inputs.
#include "backend/ops/causal_conv.h"

#include <vector>

#include "backend/ops/chunk_place.h"
#include "backend/ref/activation.h"
#include "backend/ref/ref_backend.h"
#include "backend/ref/scalar.h"

namespace invar {
namespace {

// The inputs of one channel from the chunk's start, with taps - 1 before it.
std::vector<double> inputs_before(const CausalConv& op, const ChunkPiece& piece, int64_t channel) {
  std::vector<double> inputs;
  for (int64_t i = 0; i < op.attributes.taps - 1; ++i) {
    inputs.push_back(
        piece.page < 0 ? 0.0 : load_scalar(op.pages, piece.page, i * op.out.columns + channel));
  }
  for (int64_t place = 0; place < piece.place; ++place) {
    inputs.push_back(load_scalar(op.rows, piece.row_block, place * op.out.columns + channel));
  }
  return inputs;
}

void convolve(const CausalConv& op, const ChunkPiece& piece, int64_t channel) {
  const int64_t taps = op.attributes.taps;
  std::vector<double> inputs = inputs_before(op, piece, channel);
  for (int64_t t = piece.begin; t < piece.end; ++t) {
    const double x = load_scalar(op.x, t, channel);
    inputs.push_back(x);
    store_scalar(op.rows, piece.row_block,
                 (piece.place + t - piece.begin) * op.out.columns + channel, x);
    double sum = op.bias ? load_scalar(op.bias, 0, channel) : 0.0;
    for (int64_t j = 0; j < taps; ++j) {
      sum += load_scalar(op.weight, j, channel) * inputs[inputs.size() - taps + j];
    }
    store_scalar(op.out, t, channel, op.attributes.silu ? silu_f64(sum) : sum);
  }
  for (int64_t i = 0; piece.next_page >= 0 && i < taps - 1; ++i) {
    store_scalar(op.pages, piece.next_page, i * op.out.columns + channel,
                 inputs[inputs.size() - taps + 1 + i]);
  }
}

}  // namespace

void RefBackend::run(const Stream& stream, const CausalConv& op) const {
  validate(op);
  if (stream.lane != 0) {
    return;
  }
  for (int64_t segment = 0; segment + 1 < op.cu_rows.rows; ++segment) {
    for_each_chunk(op, segment, [&](const ChunkPiece& piece) {
      for (int64_t channel = 0; channel < op.out.columns; ++channel) {
        convolve(op, piece, channel);
      }
    });
  }
}

}  // namespace invar
