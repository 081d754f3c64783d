// Checks and cost of causal_conv.
#include "backend/ops/causal_conv.h"

#include "backend/ops/chunk_place.h"

namespace invar {

void validate(const CausalConv& op) {
  const int64_t taps = op.attributes.taps;
  const int64_t channels = op.out.columns;
  INVAR_CHECK(taps >= 2 && taps <= kCausalConvTapsMax,
              "causal_conv: expected 2 to {} taps, found {}", kCausalConvTapsMax, taps);
  check_operand({"causal_conv", "x", kOnlyF32, op.out.rows, channels}, op.x);
  check_operand({"causal_conv", "weight", kOnlyF32, taps, channels}, op.weight);
  if (op.bias) {
    check_operand({"causal_conv", "bias", kOnlyF32, 1, channels}, op.bias);
  }
  check_chunk_operands(op, (taps - 1) * channels, channels);
  check_operand({"causal_conv", "out", kOnlyF32, op.out.rows, channels}, op.out);
}

Cost cost(const CausalConv& op) {
  const int64_t count = op.out.rows * op.out.columns;
  const int64_t taps = op.attributes.taps;
  // At a segment's start the taps before its first row; its last rows are kept.
  int64_t segments = 0;
  for (int64_t s = 0; s + 1 < op.cu_rows.rows; ++s) {
    const RowRange rows = segment_range(op, s);
    segments += rows.begin < rows.end ? 1 : 0;
  }
  return {.read_bytes = (count + (segments * (taps - 1) + taps) * op.out.columns) * 4,
          .write_bytes = count * 8,
          .flops = count * (2 * taps + (op.attributes.silu ? 20 : 0))};
}

}  // namespace invar
