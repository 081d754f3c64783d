// See kimi_decoder.h. Names first, then the layers.
#include "models/kimi_decoder.h"

#include "layers/banked_residual.h"
#include "layers/gated_mlp.h"
#include "layers/kimi_delta_attention.h"
#include "layers/latent_attention.h"
#include "models/decoder_tensors.h"
#include "models/expert_tensors.h"

namespace invar {
namespace {

constexpr TensorName kEmbedding{"model.embed_tokens", ""};
constexpr TensorName kFinalNorm{"model.norm", ""};
constexpr TensorName kHead{"lm_head", ""};
constexpr TensorName kInputNorm{"model.layers.{}.input_layernorm", ""};
constexpr TensorName kPostNorm{"model.layers.{}.post_attention_layernorm", ""};
constexpr TensorName kOut{"model.layers.{}.self_attn.o_proj", ""};
constexpr TensorName kGate{"model.layers.{}.self_attn.g_proj", ""};
// Delta attention.
constexpr TensorName kQ{"model.layers.{}.self_attn.q_proj", ""};
constexpr TensorName kK{"model.layers.{}.self_attn.k_proj", ""};
constexpr TensorName kV{"model.layers.{}.self_attn.v_proj", ""};
constexpr TensorName kQConv{"model.layers.{}.self_attn.q_conv1d", ""};
constexpr TensorName kKConv{"model.layers.{}.self_attn.k_conv1d", ""};
constexpr TensorName kVConv{"model.layers.{}.self_attn.v_conv1d", ""};
constexpr TensorName kBeta{"model.layers.{}.self_attn.b_proj", ""};
constexpr TensorName kForgetDown{"model.layers.{}.self_attn.f_a_proj", ""};
constexpr TensorName kForgetUp{"model.layers.{}.self_attn.f_b_proj", ""};
constexpr TensorName kGateDown{"model.layers.{}.self_attn.g_a_proj", ""};
constexpr TensorName kGateUp{"model.layers.{}.self_attn.g_b_proj", ""};
constexpr TensorName kALog{"model.layers.{}.self_attn.A_log", ""};
constexpr TensorName kDtBias{"model.layers.{}.self_attn.dt_bias", ""};
constexpr TensorName kDeltaNorm{"model.layers.{}.self_attn.o_norm", ""};
// Latent attention.
constexpr TensorName kQDown{"model.layers.{}.self_attn.q_a_proj", ""};
constexpr TensorName kQNorm{"model.layers.{}.self_attn.q_a_layernorm", ""};
constexpr TensorName kQUp{"model.layers.{}.self_attn.q_b_proj", ""};
constexpr TensorName kKvDown{"model.layers.{}.self_attn.kv_a_proj_with_mqa", ""};
constexpr TensorName kKvNorm{"model.layers.{}.self_attn.kv_a_layernorm", ""};
constexpr TensorName kKvUp{"model.layers.{}.self_attn.kv_b_proj", ""};
// Feed-forward.
struct MlpNames {
  TensorName gate;
  TensorName up;
  TensorName down;
};
constexpr MlpNames kMlp{.gate = {"model.layers.{}.mlp.gate_proj", ""},
                        .up = {"model.layers.{}.mlp.up_proj", ""},
                        .down = {"model.layers.{}.mlp.down_proj", ""}};
// As some files call the dense layers'.
constexpr MlpNames kOtherMlp{.gate = {"model.layers.{}.block_sparse_moe.gate_proj", ""},
                             .up = {"model.layers.{}.block_sparse_moe.up_proj", ""},
                             .down = {"model.layers.{}.block_sparse_moe.down_proj", ""}};
constexpr MlpNames kShared{
    .gate = {"model.layers.{}.block_sparse_moe.shared_experts.gate_proj", ""},
    .up = {"model.layers.{}.block_sparse_moe.shared_experts.up_proj", ""},
    .down = {"model.layers.{}.block_sparse_moe.shared_experts.down_proj", ""}};
constexpr TensorName kRouter{"model.layers.{}.block_sparse_moe.gate", ""};
constexpr TensorName kLatentDown{"model.layers.{}.block_sparse_moe.routed_expert_down_proj", ""};
constexpr TensorName kLatentNorm{"model.layers.{}.block_sparse_moe.routed_expert_norm", ""};
constexpr TensorName kLatentUp{"model.layers.{}.block_sparse_moe.routed_expert_up_proj", ""};
constexpr ExpertNames kExperts{
    .gate = "model.layers.{}.block_sparse_moe.experts.{}.w1.weight",
    .up = "model.layers.{}.block_sparse_moe.experts.{}.w3.weight",
    .down = "model.layers.{}.block_sparse_moe.experts.{}.w2.weight",
    .fused_gate_up = "model.layers.{}.block_sparse_moe.experts.gate_up_proj",
    .fused_down = "model.layers.{}.block_sparse_moe.experts.down_proj"};
// Residual banks.
constexpr TensorName kAttentionMixNorm{"model.layers.{}.self_attention_res_norm", ""};
constexpr TensorName kAttentionMixQuery{"model.layers.{}.self_attention_res_proj", ""};
constexpr TensorName kMlpMixNorm{"model.layers.{}.mlp_res_norm", ""};
constexpr TensorName kMlpMixQuery{"model.layers.{}.mlp_res_proj", ""};
constexpr TensorName kOutputMixNorm{"model.output_attn_res_norm", ""};
constexpr TensorName kOutputMixQuery{"model.output_attn_res_proj", ""};

class KimiLayers {
 public:
  KimiLayers(DecoderTensors& tensors, const KimiConfig& config)
      : tensors_(tensors), config_(config), hidden_(config.model.hidden_size) {
    if (config.latent.rotated) {
      rotation_ = tensors.rope(config.latent.rope);
    }
  }

  NormWeights norm(TensorName name, int layer) { return tensors_.norm(name, layer, hidden_); }
  // Rows that feed a router stay f32 in any policy.
  Value normed_for_feed_forward(Builder& b, Value x, int layer) {
    return b.rms_norm(x, norm(kPostNorm, layer), {.rounded = layer < config_.dense_layers});
  }

  Value attention(Builder& b, Value h, Value addend, int layer) {
    return config_.is_attention[layer] ? latent_attention(b, h, addend, load_latent(layer))
                                       : kimi_delta_attention(b, h, addend, load_delta(layer));
  }
  Value feed_forward(Builder& b, Value h, Value addend, int layer) {
    if (layer >= config_.dense_layers) {
      return moe(b, h, addend, load_moe(layer));
    }
    const bool plain = tensors_.store().has(tensors_.name(kMlp.gate, layer));
    const auto [gate_up, down] =
        load_mlp(plain ? kMlp : kOtherMlp, layer, config_.model.intermediate_size);
    return gated_mlp(b, h, addend, {.gate_up = gate_up, .down = down, .activation = activation()});
  }
  DepthMixSite site(TensorName norm_name, TensorName query, int layer) {
    return {.norm = norm(norm_name, layer),
            .query = tensors_.store().flat_vector(tensors_.name(query, layer), hidden_)};
  }

 private:
  struct Mlp {
    Projection gate_up;
    LinearWeights down;
  };

  GatedActivation activation() const { return config_.situ ? situ_glu(*config_.situ) : swiglu(); }

  Mlp load_mlp(const MlpNames& names, int layer, int64_t width) {
    const ProjectionRequest sources[] = {tensors_.source(names.gate, layer, width),
                                         tensors_.source(names.up, layer, width)};
    return {.gate_up = tensors_.projection("gate_up", layer, sources, hidden_),
            .down = tensors_.matrix(names.down, layer, {.rows = hidden_, .columns = width})};
  }

  KimiDeltaAttention load_delta(int layer) {
    const KimiConfig::DeltaAttention& delta = config_.delta;
    const int64_t width = delta.heads * delta.head_dim;
    const auto request = [&](TensorName name) {
      return TensorRequest{.name = tensors_.name(name, layer), .rows = width};
    };
    const TensorRequest qkv[] = {request(kQ), request(kK), request(kV)};
    const TensorRequest conv[] = {request(kQConv), request(kKConv), request(kVConv)};
    const ProjectionRequest bfg[] = {tensors_.source(kBeta, layer, delta.heads),
                                     tensors_.source(kForgetDown, layer, delta.head_dim),
                                     delta.full_rank_gate
                                         ? tensors_.source(kGate, layer, width)
                                         : tensors_.source(kGateDown, layer, delta.head_dim)};
    const MatrixShape up{.rows = width, .columns = delta.head_dim};
    KimiDeltaAttention k{
        .qkv = {.name = fmt::format("layer {} qkv", layer),
                .matrix = tensors_.store().matrix(qkv, hidden_),
                .bias = {}},
        .bfg = tensors_.projection("bfg", layer, bfg, hidden_),
        .f_b = tensors_.matrix(kForgetUp, layer, up),
        .g_b = {},
        .conv_name = fmt::format("layer {} conv", layer),
        .conv = tensors_.store().convolution(conv, delta.conv_taps),
        .gates_name = fmt::format("layer {} gates", layer),
        .a_log = tensors_.store().flat_vector(tensors_.name(kALog, layer, ""), delta.heads),
        .dt_bias = tensors_.store().flat_vector(tensors_.name(kDtBias, layer, ""), width),
        .lower_bound = delta.lower_bound,
        .norm = tensors_.norm(kDeltaNorm, layer, delta.head_dim),
        .out = tensors_.matrix(kOut, layer, {.rows = hidden_, .columns = width}),
        .heads = delta.heads,
        .head_dim = delta.head_dim};
    if (!delta.full_rank_gate) {
      k.g_b = tensors_.matrix(kGateUp, layer, up);
    }
    return k;
  }

  LatentAttention load_latent(int layer) {
    const KimiConfig::LatentAttention& latent = config_.latent;
    const int64_t heads = config_.model.num_attention_heads;
    const int64_t q_rows = heads * (latent.nope + latent.rope);
    LatentAttention a{
        .in = {},
        .low_rank_query = {},
        .latent_norm = tensors_.norm(kKvNorm, layer, latent.kv_lora),
        .keys = {},
        .values = {},
        .out = tensors_.matrix(kOut, layer, {.rows = hidden_, .columns = heads * latent.value_dim}),
        .gated = latent.gated,
        .rotation = rotation_,
        .heads = heads,
        .kv_lora = latent.kv_lora,
        .rope = latent.rope,
        .scale = attention_scale(latent.nope + latent.rope)};
    std::vector<ProjectionRequest> sources;
    if (latent.q_lora > 0) {
      sources.push_back(tensors_.source(kQDown, layer, latent.q_lora));
      a.low_rank_query = {
          .norm = tensors_.norm(kQNorm, layer, latent.q_lora),
          .up = tensors_.matrix(kQUp, layer, {.rows = q_rows, .columns = latent.q_lora})};
    } else {
      sources.push_back(tensors_.source(kQ, layer, q_rows));
    }
    sources.push_back(tensors_.source(kKvDown, layer, latent.kv_lora + latent.rope));
    sources.back().weight.zero_rows = a.cache_columns() - latent.kv_lora - latent.rope;
    if (latent.gated) {
      sources.push_back(tensors_.source(kGate, layer, heads * latent.value_dim));
    }
    a.in = tensors_.projection("in", layer, sources, hidden_);
    const HeadMatricesRequest kv_up{.name = tensors_.name(kKvUp, layer),
                                    .heads = heads,
                                    .head_rows = latent.nope + latent.value_dim,
                                    .columns = latent.kv_lora};
    a.keys = load_heads(kv_up, "keys, transposed", {.rows = latent.nope, .transposed = true});
    a.values = load_heads(kv_up, "values", {.first_row = latent.nope, .rows = latent.value_dim});
    return a;
  }

  struct HeadPart {
    int64_t first_row = 0;
    int64_t rows = 0;
    bool transposed = false;
  };
  // `what` names the product in plans, with the format that it was cut in.
  HeadWeights load_heads(HeadMatricesRequest request, std::string_view what, const HeadPart& part) {
    request.first_row = part.first_row;
    request.rows = part.rows;
    request.transposed = part.transposed;
    const PackedMatrix* matrix = tensors_.store().head_matrices(request);
    return {.name = fmt::format("{}: {} ({})", request.name, what,
                                weight_format_info(matrix->format).name),
            .matrix = matrix,
            .heads = request.heads,
            .outputs = request.outputs()};
  }

  Moe load_moe(int layer) {
    const KimiConfig::Experts& experts = config_.experts;
    const bool has_latent = experts.latent_width > 0;
    const std::string bias = tensors_.name(kRouter, layer, ".e_score_correction_bias");
    Moe m{.router = tensors_.matrix(kRouter, layer, {.rows = experts.count, .columns = hidden_}),
          .correction_bias_name = bias,
          .correction_bias = tensors_.store().flat_vector(bias, experts.count),
          .routing = experts.routing,
          .experts = load_experts(tensors_, kExperts, layer,
                                  {.experts = experts.count,
                                   .width = experts.width,
                                   .columns = has_latent ? experts.latent_width : hidden_}),
          .activation = activation(),
          .latent = {},
          .shared = {}};
    if (has_latent) {
      const int64_t width = experts.latent_width;
      m.latent = LatentSpace{
          .down = tensors_.matrix(kLatentDown, layer, {.rows = width, .columns = hidden_}),
          .norm = {},
          .up = tensors_.matrix(kLatentUp, layer, {.rows = hidden_, .columns = width})};
      if (experts.latent_norm) {
        m.latent->norm = tensors_.norm(kLatentNorm, layer, width);
      }
    }
    if (experts.shared_width > 0) {
      const auto [gate_up, down] = load_mlp(kShared, layer, experts.shared_width);
      m.shared = SharedExperts{.gate_up = gate_up, .down = down, .gate = {}};
    }
    return m;
  }

  DecoderTensors& tensors_;
  const KimiConfig& config_;
  std::optional<RopeWeights> rotation_;
  int64_t hidden_;
};

// The residual stream before the final norm, of the rows whose logits are wanted.
Value plain_layers(Builder& b, Value x, KimiLayers& layers, const KimiConfig& config) {
  for (int layer = 0; layer < config.model.num_hidden_layers; ++layer) {
    b.set_layer(layer);
    x = layers.attention(b, b.rms_norm(x, layers.norm(kInputNorm, layer)), x, layer);
    x = layers.feed_forward(b, layers.normed_for_feed_forward(b, x, layer), x, layer);
  }
  b.set_layer(-1);
  return b.gather_logit_rows(x);
}

Value banked_layers(Builder& b, Value embedding, KimiLayers& layers, const KimiConfig& config) {
  const int64_t count = config.model.num_hidden_layers;
  BankedResidual residual(b, embedding, (count + config.bank_layers - 1) / config.bank_layers);
  for (int layer = 0; layer < count; ++layer) {
    b.set_layer(layer);
    Value mixed = residual.mix(layers.site(kAttentionMixNorm, kAttentionMixQuery, layer));
    if (layer % config.bank_layers == 0) {
      residual.bank();
    }
    const Value h = b.rms_norm(mixed, layers.norm(kInputNorm, layer));
    residual.become(layers.attention(b, h, residual.running(), layer));
    mixed = residual.mix(layers.site(kMlpMixNorm, kMlpMixQuery, layer));
    const Value u = layers.normed_for_feed_forward(b, mixed, layer);
    residual.become(layers.feed_forward(b, u, residual.running(), layer));
  }
  b.set_layer(-1);
  return residual.mix_logit_rows(layers.site(kOutputMixNorm, kOutputMixQuery, -1));
}

}  // namespace

FamilyOutput build_kimi_decoder(FamilyInput& input, const KimiConfig& config) {
  FamilyOutput output = start_output(input, config.model);
  DecoderTensors tensors(input, output);
  Builder b(input.policy);
  const LinearWeights embedding = tensors.matrix(
      kEmbedding, -1, {.rows = config.model.vocab_size, .columns = config.model.hidden_size});
  KimiLayers layers(tensors, config);
  const Value x = b.embed(embedding);
  const Value last = config.bank_layers > 0 ? banked_layers(b, x, layers, config)
                                            : plain_layers(b, x, layers, config);
  const Value h = b.rms_norm(last, layers.norm(kFinalNorm, -1));
  output.program = b.finish(b.linear(h, tensors.head(kHead, embedding)));
  return output;
}

}  // namespace invar
