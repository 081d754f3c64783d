// See qwen3_5.h.
#include "models/qwen3_5.h"

#include "core/error.h"
#include "layers/gated_attention.h"
#include "layers/gated_delta_net.h"
#include "models/decoder_tensors.h"

namespace invar {
namespace {

constexpr TensorName kEmbedding{"model.embed_tokens", "token_embd"};
constexpr TensorName kFinalNorm{"model.norm", "output_norm"};
constexpr TensorName kHead{"lm_head", "output"};
constexpr TensorName kInputNorm{"model.layers.{}.input_layernorm", "blk.{}.attn_norm"};
constexpr TensorName kQ{"model.layers.{}.self_attn.q_proj", "blk.{}.attn_q"};
constexpr TensorName kK{"model.layers.{}.self_attn.k_proj", "blk.{}.attn_k"};
constexpr TensorName kV{"model.layers.{}.self_attn.v_proj", "blk.{}.attn_v"};
constexpr TensorName kOut{"model.layers.{}.self_attn.o_proj", "blk.{}.attn_output"};
constexpr TensorName kQNorm{"model.layers.{}.self_attn.q_norm", "blk.{}.attn_q_norm"};
constexpr TensorName kKNorm{"model.layers.{}.self_attn.k_norm", "blk.{}.attn_k_norm"};
constexpr TensorName kQkv{"model.layers.{}.linear_attn.in_proj_qkv", ""};
constexpr TensorName kZ{"model.layers.{}.linear_attn.in_proj_z", ""};
constexpr TensorName kBeta{"model.layers.{}.linear_attn.in_proj_b", ""};
constexpr TensorName kAlpha{"model.layers.{}.linear_attn.in_proj_a", ""};
constexpr TensorName kConv{"model.layers.{}.linear_attn.conv1d", ""};
constexpr TensorName kALog{"model.layers.{}.linear_attn.A_log", ""};
constexpr TensorName kDtBias{"model.layers.{}.linear_attn.dt_bias", ""};
constexpr TensorName kDeltaNorm{"model.layers.{}.linear_attn.norm", ""};
constexpr TensorName kDeltaOut{"model.layers.{}.linear_attn.out_proj", ""};
constexpr DecoderTensors::MlpNames kMlp{
    .norm = {"model.layers.{}.post_attention_layernorm", "blk.{}.post_attention_norm"},
    .gate = {"model.layers.{}.mlp.gate_proj", "blk.{}.ffn_gate"},
    .up = {"model.layers.{}.mlp.up_proj", "blk.{}.ffn_up"},
    .down = {"model.layers.{}.mlp.down_proj", "blk.{}.ffn_down"},
    .norm_plus = 1};

// Layer norms are stored as weight - 1; the gated norm of Gated DeltaNet is not.
constexpr float kNormPlus = 1;

struct HybridConfig {
  ModelConfig model;
  std::vector<bool> is_attention;  // by layer
  int64_t rotary_columns = 0;
  int64_t key_heads = 0;
  int64_t value_heads = 0;
  int64_t key_dim = 0;
  int64_t value_dim = 0;
  int64_t conv_taps = 0;
};

constexpr IntegerRange kHeads{1, 4096};
constexpr IntegerRange kDims{16, 256};

HybridConfig read_config(ConfigReader& reader) {
  HybridConfig config;
  config.model = read_model_config(reader, /*tied_by_default=*/false);
  for (const std::string& type : reader.strings({"layer_types", ""})) {
    if (type != "linear_attention" && type != "full_attention") {
      fail(Code::kUnsupported,
           "{}: key 'layer_types': expected 'linear_attention' or 'full_attention', found '{}'",
           reader.label(), type);
    }
    config.is_attention.push_back(type == "full_attention");
  }
  if (static_cast<int64_t>(config.is_attention.size()) != config.model.num_hidden_layers) {
    fail(Code::kBadFile, "{}: key 'layer_types': expected {} (num_hidden_layers), found {}",
         reader.label(), config.model.num_hidden_layers, config.is_attention.size());
  }
  const double share = config.model.rope.partial_rotary_factor;
  config.rotary_columns = static_cast<int64_t>(share * static_cast<double>(config.model.head_dim));
  if (config.rotary_columns < 2 || config.rotary_columns % 2 != 0) {
    fail(Code::kBadFile,
         "{}: key 'partial_rotary_factor': expected an even part of head_dim {}, found {}",
         reader.label(), config.model.head_dim, share);
  }
  config.key_heads = reader.get_integer({"linear_num_key_heads", ""}, kHeads);
  config.value_heads = reader.get_integer({"linear_num_value_heads", ""}, kHeads);
  config.key_dim = reader.get_integer({"linear_key_head_dim", ""}, kDims);
  config.value_dim = reader.get_integer({"linear_value_head_dim", ""}, kDims);
  config.conv_taps = reader.get_integer({"linear_conv_kernel_dim", ""}, {2, 64});
  if (config.value_heads % config.key_heads != 0 || config.key_dim % 16 != 0 ||
      config.value_dim % 16 != 0) {
    fail(Code::kUnsupported,
         "{}: linear attention: expected value heads a multiple of key heads and dims multiples of "
         "16, found {} and {} heads of {} and {}",
         reader.label(), config.value_heads, config.key_heads, config.value_dim, config.key_dim);
  }
  reader.require({"attention_bias", ""}, false);
  reader.require({"attn_output_gate", ""}, true);
  return config;
}

GatedAttention load_attention(DecoderTensors& tensors, const ModelConfig& config, int layer,
                              TensorView rope) {
  const int64_t heads = config.num_attention_heads;
  const int64_t q_rows = heads * config.head_dim;
  const int64_t kv_rows = config.num_key_value_heads * config.head_dim;
  // Stored head by head as [q | gate]; wanted as all q, then all gates.
  const ProjectionRequest sources[] = {
      tensors.source(kQ, layer, 2 * q_rows, false,
                     ungrouped(heads, {config.head_dim, config.head_dim})),
      tensors.source(kK, layer, kv_rows), tensors.source(kV, layer, kv_rows)};
  Projection projection = tensors.projection("qgkv", layer, sources, config.hidden_size);
  std::vector<int64_t>& widths = projection.parts.front().widths;
  widths.front() = q_rows;
  widths.insert(widths.begin() + 1, q_rows);
  return {.input_norm = tensors.norm(kInputNorm, layer, config.hidden_size, kNormPlus),
          .qgkv = std::move(projection),
          .q_norm = tensors.norm(kQNorm, layer, config.head_dim, kNormPlus),
          .k_norm = tensors.norm(kKNorm, layer, config.head_dim, kNormPlus),
          .out = tensors.matrix(kOut, layer, {.rows = config.hidden_size, .columns = q_rows}),
          .rope_name = "rope",
          .rope_table = rope,
          .heads = heads,
          .kv_heads = config.num_key_value_heads,
          .head_dim = config.head_dim,
          .scale = attention_scale(config.head_dim)};
}

GatedDeltaNet load_delta_net(DecoderTensors& tensors, const HybridConfig& config, int layer) {
  const int64_t hidden = config.model.hidden_size;
  const int64_t values = config.value_heads * config.value_dim;
  const int64_t channels = 2 * config.key_heads * config.key_dim + values;
  const ProjectionRequest sources[] = {tensors.source(kQkv, layer, channels),
                                       tensors.source(kZ, layer, values),
                                       tensors.source(kBeta, layer, config.value_heads),
                                       tensors.source(kAlpha, layer, config.value_heads)};
  const TensorRequest conv{.name = tensors.name(kConv, layer), .rows = channels};
  return {.input_norm = tensors.norm(kInputNorm, layer, hidden, kNormPlus),
          .qkvzba = tensors.projection("qkvzba", layer, sources, hidden),
          .conv_name = conv.name,
          .conv = tensors.store().convolution({&conv, 1}, config.conv_taps),
          .gates_name = fmt::format("layer {} gates", layer),
          .a_log = tensors.store().vector(
              {.name = tensors.name(kALog, layer, ""), .rows = config.value_heads}),
          .dt_bias = tensors.store().vector(
              {.name = tensors.name(kDtBias, layer, ""), .rows = config.value_heads}),
          .norm = tensors.norm(kDeltaNorm, layer, config.value_dim),
          .out = tensors.matrix(kDeltaOut, layer, {.rows = hidden, .columns = values}),
          .key_heads = config.key_heads,
          .value_heads = config.value_heads,
          .key_dim = config.key_dim,
          .value_dim = config.value_dim};
}

FamilyOutput build(FamilyInput& input) {
  const HybridConfig family = read_config(input.config);
  FamilyOutput output = start_output(input, family.model);
  const ModelConfig& config = output.config;
  DecoderTensors tensors(input, output);
  Builder b(input.policy);
  const LinearWeights embedding =
      tensors.matrix(kEmbedding, -1, {.rows = config.vocab_size, .columns = config.hidden_size});
  const TensorView rope = tensors.rope_table(family.rotary_columns);
  Value x = b.embed(embedding);
  for (int layer = 0; layer < config.num_hidden_layers; ++layer) {
    b.set_layer(layer);
    x = family.is_attention[layer]
            ? gated_attention(b, x, load_attention(tensors, config, layer, rope))
            : gated_delta_net(b, x, load_delta_net(tensors, family, layer));
    x = swiglu_mlp(b, x, tensors.mlp(kMlp, layer, config.intermediate_size));
  }
  b.set_layer(-1);
  const Value h = b.rms_norm(b.gather_logit_rows(x),
                             tensors.norm(kFinalNorm, -1, config.hidden_size, kNormPlus));
  output.program = b.finish(b.linear(h, tensors.head(kHead, embedding)));
  return output;
}

}  // namespace

const Family kQwen35{.name = "qwen3_5_text", .gguf_architectures = {}, .build = &build};

}  // namespace invar
