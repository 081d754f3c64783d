// See mamba2_mixer.h.
#include "layers/mamba2_mixer.h"

namespace invar {

Value mamba2_mixer(Builder& b, Value x, const Mamba2Mixer& m) {
  const int64_t inner = m.sizes.heads * m.sizes.head_dim;
  const int64_t group_state = m.sizes.groups * m.sizes.state_size;
  const int64_t channels = inner + 2 * group_state;
  const int64_t taps = m.conv.rows;
  const RecurrentState conv_state = b.recurrent_state("conv", (taps - 1) * channels, channels);
  const RecurrentState ssd_state =
      b.recurrent_state("ssd", ssd_page_columns(m.sizes), ssd_row_columns(m.sizes));
  const Value h = b.rms_norm(x, m.input_norm);
  const int64_t in_widths[] = {inner, channels, m.sizes.heads};
  const std::vector<Value> parts = b.split(b.linear(h, m.in), in_widths);
  const Value conv =
      b.causal_conv(parts[1], {.name = m.conv_name, .weight = m.conv, .bias = m.conv_bias},
                    conv_state, {.silu = true});
  const int64_t conv_widths[] = {inner, group_state, group_state};
  const std::vector<Value> xbc = b.split(conv, conv_widths);
  const Value y =
      b.ssd({.x = xbc[0], .b = xbc[1], .c = xbc[2], .dt = parts[2]}, m.ssd, ssd_state, m.sizes);
  const Value gated =
      b.gated_rms_norm(y, parts[0], m.norm, {.dim = inner, .gate_first = true, .silu = true});
  return b.add(x, b.linear(gated, m.out));
}

}  // namespace invar
