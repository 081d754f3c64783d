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
  INVAR_CHECK(a.columns == b.columns && info(a).rows == info(b).rows);
  INVAR_CHECK(dtype_of(a) == DType::kF32 && dtype_of(b) == DType::kF32);
  const Value out = new_value(info(a).rows, a.columns, result_dtype(options.rounded), "product");
  emit<MulArgs>("product",
                {.a = operand(a), .b = operand(b), .out = operand(out), .attributes = {}});
  return out;
}

Value Builder::sigmoid_mul(Value x, Value gate, const SigmoidMulOptions& options) {
  INVAR_CHECK((gate.columns == x.columns || gate.columns == 1) && info(x).rows == info(gate).rows);
  INVAR_CHECK(dtype_of(x) == DType::kF32 && dtype_of(gate) == DType::kF32);
  if (options.addend) {
    INVAR_CHECK(options.addend.columns == x.columns && info(options.addend).rows == info(x).rows);
  }
  const Value out = new_value(info(x).rows, x.columns, result_dtype(options.rounded), "gated");
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
  INVAR_CHECK(x.columns == weights.weight.columns && dtype_of(x) == DType::kF32);
  INVAR_CHECK(
      recurrent.page_columns == (taps - 1) * x.columns && recurrent.row_columns == x.columns,
      "{}: a state of {} and {} columns for {} taps of {} channels", weights.name,
      recurrent.page_columns, recurrent.row_columns, taps, x.columns);
  const Value out = new_value(info(x).rows, x.columns, DType::kF32, weights.name);
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

}  // namespace invar
