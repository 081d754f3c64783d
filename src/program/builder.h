// Builds a program: each method checks dtypes and widths, appends one op and returns its value.
// Family code (layers/, models/) calls these and nothing else, so it reads like the formula.
//
//   Value h = b.rms_norm(x, norm, eps);
//   Value gate_up = b.linear(h, weights.gate_up);
//   return b.linear(b.silu_mul(gate, up), weights.down, {.addend = x});
#pragma once

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "program/program.h"

namespace invar {

// The numeric choices of a loaded model that ops see: part of its identity (DESIGN's "policy").
struct NumericPolicy {
  // Rows that feed dense (unquantized) matrices: f32, or bf16 (rounded, nearest even).
  DType activation_dtype = DType::kF32;
  DType kv_dtype = DType::kF32;  // f32, f16 or bf16
};

// A matrix with its optional bias; the memory belongs to the model's weights.
struct LinearWeights {
  std::string name;
  const PackedMatrix* matrix = nullptr;
  TensorView bias;  // optional: [1, rows of matrix] f32
};

// The matrices of a layer's heads: [heads * outputs rounded up to 16, columns] (head_linear.h).
struct HeadWeights {
  std::string name;
  const PackedMatrix* matrix = nullptr;
  int64_t heads = 0;
  int64_t outputs = 0;
};

struct NormWeights {
  std::string name;
  TensorView weight;  // [1, dim] f32
  float eps = 0;
};

// Angles of rotary positions, and which of a row's positions turns which pair (backend/ops/rope.h).
struct RopeWeights {
  std::string name;
  TensorView table;  // [context, rotary columns] f32
  RopeSections sections = {};
};

// One layer's attention cache, declared by Builder::paged_attention_state or paged_latent_state.
struct AttentionState {
  int32_t k_buffer = -1;
  int32_t v_buffer = -1;  // -1: a value is the first value_dim columns of its key
  int64_t kv_heads = 0;
  int64_t head_dim = 0;
  int64_t value_dim = 0;
};

// One recurrent layer's state, declared by Builder::recurrent_state.
struct RecurrentState {
  int32_t pages_buffer = -1;
  int32_t rows_buffer = -1;
  int64_t page_columns = 0;
  int64_t row_columns = 0;  // of one pending row
};

// A depthwise convolution; the memory belongs to the model's weights.
struct ConvWeights {
  std::string name;
  TensorView weight;  // [taps, channels] f32, the last tap meets the newest input
  TensorView bias;    // optional: [1, channels] f32
};

// The parameters of a Mamba-2 layer's recurrence, [1, heads] f32 each.
struct SsdWeights {
  std::string name;
  TensorView dt_bias;
  TensorView a_log;
  TensorView d;
};

// The decay parameters of a delta rule layer.
struct DeltaGateWeights {
  std::string name;
  TensorView a_log;    // [1, heads] f32
  TensorView dt_bias;  // [1, heads] or [1, heads * key_dim] f32
};

// The matrices of a layer's experts, stacked: [experts * rows of one, columns].
struct ExpertWeights {
  std::string name;
  const PackedMatrix* matrix = nullptr;
  int64_t experts = 0;
};

class Builder {
 public:
  explicit Builder(const NumericPolicy& policy) : policy_(policy) {}

  // Ops appended from here on belong to `layer` (-1: outside any).
  void set_layer(int layer) { layer_ = layer; }

  AttentionState paged_attention_state(int64_t kv_heads, int64_t head_dim);
  // Rows that all heads share and that hold a key and, in their first value_dim columns, its value.
  AttentionState paged_latent_state(int64_t row_columns, int64_t value_dim);
  // f32 columns of a state page and of a pending row. `name` tells a layer's states apart.
  RecurrentState recurrent_state(const std::string& name, int64_t page_columns,
                                 int64_t row_columns);

  Value embed(const LinearWeights& table);
  // Each group of weight.columns columns of x is normalised. The result has the policy's activation
  // dtype, for a dense consumer; or f32, where a rounding would grow: before a router, whose choice
  // hangs on few bits, and before a recurrent state, which carries it on.
  struct RmsNormOptions {
    bool rounded = true;
  };
  Value rms_norm(Value x, const NormWeights& norm, const RmsNormOptions& options);
  Value rms_norm(Value x, const NormWeights& norm) { return rms_norm(x, norm, {}); }
  // The same, in place on a window (QK norm).
  void rms_norm_in_place(Value x, const NormWeights& norm);
  struct LinearOptions {
    Value addend;  // optional: f32, added to the finished product (a residual)
  };
  Value linear(Value x, const LinearWeights& weights, const LinearOptions& options);
  Value linear(Value x, const LinearWeights& weights) { return linear(x, weights, {}); }
  // Each head of x times its matrix.
  struct HeadLinearOptions {
    int64_t kept = 0;  // columns of a head behind those of the matrix, which pass as they are
    int64_t head_columns = 0;  // of a head of the result; 0: outputs and kept ones, without padding
  };
  Value head_linear(Value x, const HeadWeights& weights, const HeadLinearOptions& options);
  Value add(Value a, Value b);
  // A value with x's rows that copy() fills, window by window.
  Value space(Value x, int64_t columns);
  void copy(Value x, Value window);
  Value silu_mul(Value gate, Value up);
  // A result for a dense consumer (`rounded`) has the policy's activation dtype, others are f32.
  struct ResultOptions {
    bool rounded = false;
  };
  Value mul(Value a, Value b, const ResultOptions& options);
  struct SigmoidMulOptions {
    Value addend;  // optional: f32
    bool rounded = false;
  };
  // `gate` has the columns of x, or one column.
  Value sigmoid_mul(Value x, Value gate, const SigmoidMulOptions& options);
  // Page columns of the state: (taps - 1) * channels; row columns: channels.
  struct ConvOptions {
    bool silu = false;
  };
  Value causal_conv(Value x, const ConvWeights& weights, const RecurrentState& state,
                    const ConvOptions& options);
  struct DeltaGates {
    Value log_decay;
    Value beta;
  };
  struct DeltaGatesOptions {
    int64_t heads = 0;
    bool bounded = false;
    float lower_bound = 0;
  };
  // `a`: [heads] or [heads * key_dim] columns; `b`: [heads].
  DeltaGates delta_gates(Value a, Value b, const DeltaGateWeights& weights,
                         const DeltaGatesOptions& options);
  struct DeltaRuleInputs {
    Value q;
    Value k;
    Value v;
    DeltaGates gates;
  };
  // Sizes of the state: delta_rule_page_columns, delta_rule_row_columns.
  Value delta_rule(const DeltaRuleInputs& inputs, const RecurrentState& state,
                   const DeltaRuleAttributes& attributes);
  struct GatedNormOptions {
    int64_t dim = 0;
    bool gate_first = false;
    bool silu = false;  // else sigmoid
    bool rounded = true;
  };
  Value gated_rms_norm(Value x, Value gate, const NormWeights& norm,
                       const GatedNormOptions& options);
  struct SsdInputs {
    Value x;
    Value b;
    Value c;
    Value dt;
  };
  // Sizes of the state: ssd_page_columns, ssd_row_columns.
  Value ssd(const SsdInputs& inputs, const SsdWeights& weights, const RecurrentState& state,
            const SsdAttributes& attributes);
  // The result has the policy's activation dtype.
  Value situ_mul(Value gate, Value up, const SituMulAttributes& attributes);
  struct DepthMixInputs {
    Value banks;  // optional: [bank capacity * width] columns
    Value running;
  };
  // `query`: [1, width] f32.
  Value depth_mix(const DepthMixInputs& inputs, const NormWeights& norm, TensorView query,
                  int64_t banks_used);
  // Each row's experts and their weights, top_k columns each. `bias`: optional, [1, experts] f32.
  struct Routing {
    Value ids;
    Value weights;
  };
  Routing moe_route(Value logits, const std::string& bias_name, TensorView bias,
                    const MoeRouteAttributes& attributes);
  // The result has top_k rows for each row of the routing; x has as many, or one (the same for all
  // its experts). Elementwise ops and quantization keep a value's rows.
  Value expert_linear(Value x, const Routing& routing, const ExpertWeights& weights);
  struct MoeCombineOptions {
    Value addend;  // optional: f32
    bool rounded = false;
  };
  // One row for each row of the routing.
  Value moe_combine(Value y, const Routing& routing, const MoeCombineOptions& options);
  // In place, the rotary columns of each head from `first_column` on.
  void rope(Value x, const RopeWeights& weights, int64_t head_dim, int64_t first_column = 0);
  // A latent state takes no v.
  void kv_write(const AttentionState& state, Value k, Value v);
  struct AttentionOptions {
    int64_t heads = 0;
    float scale = 0;
    bool rounded = true;  // the policy's activation dtype; else f32, for an op that follows
  };
  Value attention(Value q, const AttentionState& state, const AttentionOptions& options);
  // The rows whose logits are wanted.
  Value gather_logit_rows(Value x);

  // Windows of a value's columns, in order; the widths must sum to its columns. No op is emitted.
  std::vector<Value> split(Value x, std::span<const int64_t> widths) const;

  // Ends building. `logits` is [logit rows, vocabulary] f32.
  Program finish(Value logits);

 private:
  // Error kUnsupported, naming `what`: a size that no kernel takes. Families say so by key, but for
  // what they forget.
  struct SizeRule {
    int64_t min = 1;
    int64_t max = 0;
    int64_t step = 1;
  };
  static constexpr int64_t kBuilderHeadsMax = 4096;
  static void require_size(const std::string& what, SizeRule rule, int64_t found);
  int32_t new_state_buffer(const std::string& kind, StateBufferInfo info);
  Value new_value(RowSet rows, int64_t columns, DType dtype, std::string name);
  // With the rows of `rows_of`.
  Value new_value_like(Value rows_of, int64_t columns, DType dtype, std::string name);
  bool same_rows(Value a, Value b) const {
    return info(a).rows == info(b).rows && info(a).row_factor == info(b).row_factor;
  }
  Operand operand(Value value) const;
  Operand constant(const std::string& name, TensorView view);
  static Operand table(PassTable table);
  static Operand state(int32_t buffer, int64_t columns);
  const ValueInfo& info(Value value) const;
  DType dtype_of(Value value) const { return info(value).dtype; }
  // x as int8 rows; emitted once per value.
  Value quantized(Value x);
  void forget_quantized(Value x);
  // Fills in the tables and the state of a recurrent op.
  template <template <class> class Args>
  static void bind_state(const RecurrentState& recurrent, Args<Operand>& args);
  DType result_dtype(bool rounded) const {
    return rounded ? policy_.activation_dtype : DType::kF32;
  }
  template <template <class> class Args>
  void emit(std::string label, Args<Operand> args);

  NumericPolicy policy_;
  Program program_;
  int layer_ = -1;
  std::map<std::string, int32_t> constant_ids_;
  std::map<std::tuple<int32_t, int64_t, int64_t>, Value> quantized_;
};

template <template <class> class Args>
void Builder::emit(std::string label, Args<Operand> args) {
  auto node = std::make_unique<OpNode<Args>>(std::move(args));
  node->layer = layer_;
  node->label = std::move(label);
  program_.nodes.push_back(std::move(node));
}

}  // namespace invar
