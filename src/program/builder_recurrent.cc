// The builder's methods for recurrent layers and their gates.
#include "program/builder.h"

namespace invar {

template <template <class> class Args>
void Builder::bind_state(const RecurrentState& recurrent, Args<Operand>& args) {
  args.positions = table(PassTable::kPositions);
  args.cu_rows = table(PassTable::kCuRows);
  args.state_pages = table(PassTable::kStatePages);
  args.row_blocks = table(PassTable::kRowBlocks);
  args.pages = state(recurrent.pages_buffer, recurrent.page_columns);
  args.rows = state(recurrent.rows_buffer, recurrent.row_columns * kChunkRows);
}

Value Builder::mul(Value a, Value b, const ResultOptions& options) {
  INVAR_CHECK(a.columns == b.columns && same_rows(a, b));
  INVAR_CHECK(dtype_of(a) == DType::kF32 && dtype_of(b) == DType::kF32);
  const Value out = new_value_like(a, a.columns, result_dtype(options.rounded), "product");
  emit<MulArgs>("product",
                {.a = operand(a), .b = operand(b), .out = operand(out), .attributes = {}});
  return out;
}

Value Builder::sigmoid_mul(Value x, Value gate, const SigmoidMulOptions& options) {
  INVAR_CHECK((gate.columns == x.columns || gate.columns == 1) && same_rows(x, gate));
  INVAR_CHECK(dtype_of(x) == DType::kF32 && dtype_of(gate) == DType::kF32);
  if (options.addend) {
    INVAR_CHECK(options.addend.columns == x.columns && same_rows(options.addend, x));
  }
  const Value out = new_value_like(x, x.columns, result_dtype(options.rounded), "gated");
  emit<SigmoidMulArgs>("gate", {.x = operand(x),
                                .gate = operand(gate),
                                .addend = operand(options.addend),
                                .out = operand(out),
                                .attributes = {}});
  return out;
}

Value Builder::causal_conv(Value x, const ConvWeights& weights, const RecurrentState& recurrent,
                           const ConvOptions& options) {
  const int64_t taps = weights.weight.rows;
  require_size(weights.name + ": taps", {.min = 2, .max = kCausalConvTapsMax}, taps);
  INVAR_CHECK(x.columns == weights.weight.columns && dtype_of(x) == DType::kF32);
  INVAR_CHECK(
      recurrent.page_columns == (taps - 1) * x.columns && recurrent.row_columns == x.columns,
      "{}: a state of {} and {} columns for {} taps of {} channels", weights.name,
      recurrent.page_columns, recurrent.row_columns, taps, x.columns);
  const Value out = new_value_like(x, x.columns, DType::kF32, weights.name);
  CausalConvArgs<Operand> args;
  args.x = operand(x);
  args.weight = constant(weights.name, weights.weight);
  args.bias = weights.bias ? constant(weights.name + " bias", weights.bias) : Operand{};
  args.out = operand(out);
  args.attributes = {.taps = taps, .silu = options.silu};
  bind_state(recurrent, args);
  emit<CausalConvArgs>(weights.name, std::move(args));
  return out;
}

Builder::DeltaGates Builder::delta_gates(Value a, Value b, const DeltaGateWeights& weights,
                                         const DeltaGatesOptions& options) {
  INVAR_CHECK(b.columns == options.heads && a.columns == weights.dt_bias.columns &&
                  a.columns % options.heads == 0 && same_rows(a, b),
              "{}: {} and {} columns for {} heads", weights.name, a.columns, b.columns,
              options.heads);
  const DeltaGates gates{.log_decay = new_value_like(a, a.columns, DType::kF32, "log decay"),
                         .beta = new_value_like(a, b.columns, DType::kF32, "beta")};
  emit<DeltaGatesArgs>(weights.name,
                       {.a = operand(a),
                        .b = operand(b),
                        .a_log = constant(weights.name + " a_log", weights.a_log),
                        .dt_bias = constant(weights.name + " dt_bias", weights.dt_bias),
                        .log_decay = operand(gates.log_decay),
                        .beta = operand(gates.beta),
                        .attributes = {.heads = options.heads,
                                       .bounded = options.bounded,
                                       .lower_bound = options.lower_bound}});
  return gates;
}

Value Builder::delta_rule(const DeltaRuleInputs& inputs, const RecurrentState& recurrent,
                          const DeltaRuleAttributes& attributes) {
  for (const int64_t dim : {attributes.key_dim, attributes.value_dim}) {
    require_size("delta rule: head size", {.min = 16, .max = kDeltaRuleDimMax, .step = 16}, dim);
  }
  require_size("delta rule: value heads", {.max = kBuilderHeadsMax, .step = attributes.key_heads},
               attributes.value_heads);
  INVAR_CHECK(inputs.q.columns == attributes.key_heads * attributes.key_dim &&
              inputs.k.columns == inputs.q.columns &&
              inputs.v.columns == attributes.value_heads * attributes.value_dim);
  INVAR_CHECK(recurrent.page_columns == delta_rule_page_columns(attributes) &&
                  recurrent.row_columns == delta_rule_row_columns(attributes),
              "delta_rule: a state of {} and {} columns", recurrent.page_columns,
              recurrent.row_columns);
  const Value out = new_value_like(inputs.v, inputs.v.columns, DType::kF32, "delta rule");
  DeltaRuleArgs<Operand> args;
  args.q = operand(inputs.q);
  args.k = operand(inputs.k);
  args.v = operand(inputs.v);
  args.log_decay = operand(inputs.gates.log_decay);
  args.beta = operand(inputs.gates.beta);
  args.out = operand(out);
  args.attributes = attributes;
  bind_state(recurrent, args);
  emit<DeltaRuleArgs>("delta rule", std::move(args));
  return out;
}

Value Builder::gated_rms_norm(Value x, Value gate, const NormWeights& norm,
                              const GatedNormOptions& options) {
  INVAR_CHECK(x.columns == gate.columns && same_rows(x, gate));
  INVAR_CHECK(x.columns % options.dim == 0 &&
                  (norm.weight.columns == options.dim || norm.weight.columns == x.columns),
              "{}: groups of {} in {} columns, a weight of {}", norm.name, options.dim, x.columns,
              norm.weight.columns);
  const Value out = new_value_like(x, x.columns, result_dtype(options.rounded), norm.name);
  emit<GatedRmsNormArgs>(norm.name, {.x = operand(x),
                                     .gate = operand(gate),
                                     .weight = constant(norm.name, norm.weight),
                                     .out = operand(out),
                                     .attributes = {.dim = options.dim,
                                                    .eps = norm.eps,
                                                    .gate_first = options.gate_first,
                                                    .silu = options.silu}});
  return out;
}

Value Builder::ssd(const SsdInputs& inputs, const SsdWeights& weights,
                   const RecurrentState& recurrent, const SsdAttributes& attributes) {
  for (const int64_t dim : {attributes.head_dim, attributes.state_size}) {
    require_size(weights.name + ": head size", {.min = 16, .max = kSsdDimMax, .step = 16}, dim);
  }
  require_size(weights.name + ": heads", {.max = kBuilderHeadsMax, .step = attributes.groups},
               attributes.heads);
  INVAR_CHECK(inputs.x.columns == attributes.heads * attributes.head_dim &&
              inputs.b.columns == attributes.groups * attributes.state_size &&
              inputs.c.columns == inputs.b.columns && inputs.dt.columns == attributes.heads);
  INVAR_CHECK(recurrent.page_columns == ssd_page_columns(attributes) &&
                  recurrent.row_columns == ssd_row_columns(attributes),
              "{}: a state of {} and {} columns", weights.name, recurrent.page_columns,
              recurrent.row_columns);
  const Value out = new_value_like(inputs.x, inputs.x.columns, DType::kF32, weights.name);
  SsdArgs<Operand> args;
  args.x = operand(inputs.x);
  args.b = operand(inputs.b);
  args.c = operand(inputs.c);
  args.dt = operand(inputs.dt);
  args.dt_bias = constant(weights.name + " dt_bias", weights.dt_bias);
  args.a_log = constant(weights.name + " a_log", weights.a_log);
  args.d = constant(weights.name + " d", weights.d);
  args.out = operand(out);
  args.attributes = attributes;
  bind_state(recurrent, args);
  emit<SsdArgs>(weights.name, std::move(args));
  return out;
}

Value Builder::situ_mul(Value gate, Value up, const SituMulAttributes& attributes) {
  INVAR_CHECK(gate.columns == up.columns && same_rows(gate, up));
  const Value out = new_value_like(gate, gate.columns, policy_.activation_dtype, "activation");
  emit<SituMulArgs>(
      "activation",
      {.gate = operand(gate), .up = operand(up), .out = operand(out), .attributes = attributes});
  return out;
}

Value Builder::depth_mix(const DepthMixInputs& inputs, const NormWeights& norm, TensorView query,
                         int64_t banks_used) {
  const int64_t width = inputs.running.columns;
  require_size(norm.name + ": banks", {.min = 0, .max = kDepthMixBanksMax}, banks_used);
  INVAR_CHECK(norm.weight.columns == width && query.columns == width);
  INVAR_CHECK(banks_used * width <= inputs.banks.columns, "{}: {} banks of {} in {} columns",
              norm.name, banks_used, width, inputs.banks.columns);
  const Value out = new_value_like(inputs.running, width, DType::kF32, norm.name);
  emit<DepthMixArgs>(norm.name, {.banks = operand(inputs.banks),
                                 .running = operand(inputs.running),
                                 .norm_weight = constant(norm.name, norm.weight),
                                 .query = constant(norm.name + " query", query),
                                 .out = operand(out),
                                 .attributes = {.banks_used = banks_used, .eps = norm.eps}});
  return out;
}

}  // namespace invar
