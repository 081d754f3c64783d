// See gated_delta_net.h.
#include "layers/gated_delta_net.h"

#include "core/math.h"
#include "layers/projection.h"

namespace invar {
namespace {

// Inside the square root of q's and k's normalisation: a constant of the model family, no config
// key.
constexpr float kL2Eps = 1e-6F;

}  // namespace

Value gated_delta_net(Builder& b, Value x, const GatedDeltaNet& g) {
  const int64_t keys = g.key_heads * g.key_dim;
  const int64_t values = g.value_heads * g.value_dim;
  const int64_t channels = 2 * keys + values;
  const int64_t taps = g.conv.rows;
  const RecurrentState conv_state = b.recurrent_state("conv", (taps - 1) * channels, channels);
  const Value h = b.rms_norm(x, g.input_norm, {.rounded = false});
  const std::vector<Value> parts = project(b, h, g.qkvzba);
  const Value conv = b.causal_conv(parts[0], {.name = g.conv_name, .weight = g.conv, .bias = {}},
                                   conv_state, {.silu = true});
  const int64_t widths[] = {keys, keys, values};
  const std::vector<Value> qkv = b.split(conv, widths);
  const Builder::DeltaGates gates = b.delta_gates(
      parts[3], parts[2], {.name = g.gates_name, .a_log = g.a_log, .dt_bias = g.dt_bias},
      {.heads = g.value_heads});
  const DeltaRuleAttributes rule{
      .key_heads = g.key_heads,
      .value_heads = g.value_heads,
      .key_dim = g.key_dim,
      .value_dim = g.value_dim,
      .channel_decay = false,
      .tiled_heads = g.tiled_heads,
      .l2_eps = kL2Eps,
      .scale = static_cast<float>(pow_f64(static_cast<double>(g.key_dim), -0.5))};
  const RecurrentState rule_state =
      b.recurrent_state("delta rule", delta_rule_page_columns(rule), delta_rule_row_columns(rule));
  const Value o =
      b.delta_rule({.q = qkv[0], .k = qkv[1], .v = qkv[2], .gates = gates}, rule_state, rule);
  const Value y = b.gated_rms_norm(o, parts[1], g.norm, {.dim = g.value_dim, .silu = true});
  return b.add(x, b.linear(y, g.out));
}

}  // namespace invar
