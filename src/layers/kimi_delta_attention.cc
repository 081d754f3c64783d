// See kimi_delta_attention.h.
#include "layers/kimi_delta_attention.h"

#include "core/math.h"
#include "layers/projection.h"

namespace invar {
namespace {

// Inside the square root of q's and k's normalisation: a constant of the family, no config key.
constexpr float kL2Eps = 1e-6F;

}  // namespace

Value kimi_delta_attention(Builder& b, Value h, Value addend, const KimiDeltaAttention& k) {
  const int64_t width = k.heads * k.head_dim;
  const int64_t channels = 3 * width;
  const int64_t taps = k.conv.rows;
  const RecurrentState conv_state = b.recurrent_state("conv", (taps - 1) * channels, channels);
  const Value conv =
      b.causal_conv(b.linear(h, k.qkv), {.name = k.conv_name, .weight = k.conv, .bias = {}},
                    conv_state, {.silu = true});
  const int64_t widths[] = {width, width, width};
  const std::vector<Value> qkv = b.split(conv, widths);
  const std::vector<Value> bfg = project(b, h, k.bfg);
  const Builder::DeltaGates gates =
      b.delta_gates(b.linear(bfg[1], k.f_b), bfg[0],
                    {.name = k.gates_name, .a_log = k.a_log, .dt_bias = k.dt_bias},
                    {.heads = k.heads,
                     .bounded = k.lower_bound.has_value(),
                     .lower_bound = k.lower_bound.value_or(0)});
  const DeltaRuleAttributes rule{
      .key_heads = k.heads,
      .value_heads = k.heads,
      .key_dim = k.head_dim,
      .value_dim = k.head_dim,
      .channel_decay = true,
      .l2_eps = kL2Eps,
      .scale = static_cast<float>(pow_f64(static_cast<double>(k.head_dim), -0.5))};
  const RecurrentState rule_state =
      b.recurrent_state("delta rule", delta_rule_page_columns(rule), delta_rule_row_columns(rule));
  const Value o =
      b.delta_rule({.q = qkv[0], .k = qkv[1], .v = qkv[2], .gates = gates}, rule_state, rule);
  const Value gate = k.g_b ? b.linear(bfg[2], *k.g_b) : bfg[2];
  const Value y = b.gated_rms_norm(o, gate, k.norm, {.dim = k.head_dim});
  const Value result = b.linear(y, k.out);
  return addend ? b.add(addend, result) : result;
}

}  // namespace invar
