// See short_conv.h.
#include "layers/short_conv.h"

namespace invar {

Value short_conv(Builder& b, Value x, const ShortConv& s) {
  const int64_t channels = s.conv.columns;
  const int64_t taps = s.conv.rows;
  const RecurrentState state = b.recurrent_state("conv", (taps - 1) * channels, channels);
  const Value h = b.rms_norm(x, s.input_norm);
  const int64_t widths[] = {channels, channels, channels};
  const std::vector<Value> bcx = b.split(b.linear(h, s.in), widths);
  const Value conv =
      b.causal_conv(b.mul(bcx[0], bcx[2], {}), {.name = s.conv_name, .weight = s.conv, .bias = {}},
                    state, {.silu = false});
  return b.add(x, b.linear(b.mul(bcx[1], conv, {.rounded = true}), s.out));
}

}  // namespace invar
