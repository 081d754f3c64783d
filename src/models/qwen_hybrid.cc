// See qwen_hybrid.h.
#include "models/qwen_hybrid.h"

#include "config/stated_fact.h"
#include "core/error.h"
#include "core/log.h"
#include "layers/gated_attention.h"
#include "layers/gated_delta_net.h"
#include "models/decoder_names.h"

namespace invar {
namespace {

constexpr TensorName kQkv{"model.layers.{}.linear_attn.in_proj_qkv", "blk.{}.attn_qkv"};
constexpr TensorName kZ{"model.layers.{}.linear_attn.in_proj_z", "blk.{}.attn_gate"};
constexpr TensorName kBeta{"model.layers.{}.linear_attn.in_proj_b", "blk.{}.ssm_beta"};
constexpr TensorName kAlpha{"model.layers.{}.linear_attn.in_proj_a", "blk.{}.ssm_alpha"};
constexpr TensorName kQkvz{"model.layers.{}.linear_attn.in_proj_qkvz", ""};
constexpr TensorName kBetaAlpha{"model.layers.{}.linear_attn.in_proj_ba", ""};
constexpr TensorName kConv{"model.layers.{}.linear_attn.conv1d", "blk.{}.ssm_conv1d"};
constexpr TensorName kALog{"model.layers.{}.linear_attn.A_log", "blk.{}.ssm_a"};
constexpr TensorName kDtBias{"model.layers.{}.linear_attn.dt_bias", "blk.{}.ssm_dt.bias"};
constexpr TensorName kDeltaNorm{"model.layers.{}.linear_attn.norm", "blk.{}.ssm_norm"};
constexpr TensorName kDeltaOut{"model.layers.{}.linear_attn.out_proj", "blk.{}.ssm_out"};
constexpr DecoderTensors::MlpNames kMlp{
    .norm = {"model.layers.{}.post_attention_layernorm", "blk.{}.post_attention_norm"},
    .gate = {"model.layers.{}.mlp.gate_proj", "blk.{}.ffn_gate"},
    .up = {"model.layers.{}.mlp.up_proj", "blk.{}.ffn_up"},
    .down = {"model.layers.{}.mlp.down_proj", "blk.{}.ffn_down"}};

struct HybridConfig {
  ModelConfig model;
  std::vector<bool> is_attention;  // by layer
  int64_t draft_layers = 0;        // GGUF: behind the model's own
  int64_t key_heads = 0;
  int64_t value_heads = 0;
  int64_t key_dim = 0;
  int64_t value_dim = 0;
  int64_t conv_taps = 0;
};

constexpr IntegerRange kHeads{1, 4096};
constexpr IntegerRange kDims{16, kDeltaRuleDimMax};
constexpr IntegerRange kLayers{1, 4096};

// Stated layer by layer, or every full_attention_interval-th layer is attention. A GGUF file may
// list the recurrent layers instead, and the heads of each. Lists name `stated` layers, of which
// the first `count` are the model's own.
std::vector<bool> read_layer_types(ConfigReader& reader, const std::vector<bool>& with_heads,
                                   int64_t stated, int64_t count) {
  constexpr ConfigKey kRecurrent{"", "attention.recurrent_layers"};
  constexpr ConfigKey kTypes{"layer_types", ""};
  constexpr ConfigKey kInterval{"full_attention_interval", "full_attention_interval"};
  StatedFact<std::vector<bool>> is_attention;
  const auto add_list = [&](ConfigKey key, std::vector<bool> list) {
    if (list.empty()) {
      return;
    }
    if (std::ssize(list) != stated) {
      reader.wrong(key, fmt::format("{} layers", stated), list.size());
    }
    list.resize(count);
    is_attention.add(reader, key, list);
  };
  std::vector<bool> recurrent = reader.booleans(kRecurrent);
  recurrent.flip();
  add_list(kRecurrent, recurrent);
  add_list(kTypes,
           reader.kinds(kTypes.hf, {"linear_attention", "full_attention"}, "full_attention"));
  const auto interval = reader.find_integer(kInterval, kLayers);
  std::vector<bool> every_few;
  for (int64_t layer = 0; layer < count; ++layer) {
    every_few.push_back((layer + 1) % interval.value_or(4) == 0);
  }
  if (interval || !is_attention.value()) {
    is_attention.add(reader, kInterval, every_few);
  }
  add_list({"num_key_value_heads", "attention.head_count_kv"}, with_heads);
  return *is_attention.value();
}

HybridConfig read_config(ConfigReader& reader) {
  HybridConfig config;
  config.model =
      read_model_config(reader, {.head_dim = 256, .rope = {.partial_rotary_factor = 0.25}});
  const int64_t layers = config.model.num_hidden_layers;  // GGUF: with the draft layers
  config.draft_layers =
      reader.find_integer({"", "nextn_predict_layers"}, {0, layers - 1}).value_or(0);
  config.model.num_hidden_layers -= config.draft_layers;
  config.is_attention = read_layer_types(reader, config.model.layer_has_attention, layers,
                                         config.model.num_hidden_layers);
  config.key_heads = reader.get_integer({"linear_num_key_heads", "ssm.group_count"}, kHeads);
  config.value_heads = reader.get_integer({"linear_num_value_heads", "ssm.time_step_rank"}, kHeads);
  config.key_dim = reader.get_integer({"linear_key_head_dim", "ssm.state_size"}, kDims);
  // GGUF: of all value heads together.
  const int64_t together = reader.is_gguf() ? config.value_heads : 1;
  config.value_dim = reader.get_integer({"linear_value_head_dim", "ssm.inner_size"},
                                        {kDims.min * together, kDims.max * together}) /
                     together;
  config.conv_taps =
      reader.get_integer({"linear_conv_kernel_dim", "ssm.conv_kernel"}, {2, kCausalConvTapsMax});
  if (config.value_heads % config.key_heads != 0 || config.key_dim % 16 != 0 ||
      config.value_dim % 16 != 0) {
    fail(Code::kUnsupported,
         "{}: linear attention: expected value heads a multiple of key heads and dims multiples of "
         "16, found {} and {} heads of {} and {}",
         reader.label(), config.value_heads, config.key_heads, config.value_dim, config.key_dim);
  }
  reader.require({"attention_bias", ""}, false);
  reader.require({"attn_output_gate", ""}, true);
  reader.require({"output_gate_type", ""}, "swish");   // of Gated DeltaNet
  reader.require({"mamba_ssm_dtype", ""}, "float32");  // of its state
  // Layers that guess further tokens are not loaded, however many there are.
  reader.find_integer({"mtp_num_hidden_layers", ""}, {0, kLayers.max});
  reader.find_boolean({"mtp_use_dedicated_embeddings", ""});
  read_gguf_sections(reader, config.model.rope);
  check_sections(reader, config.model.rope, config.model.rotary_columns);
  return config;
}

// Layer norms of a Hugging Face checkpoint are stored as weight - 1; the gated norm of Gated
// DeltaNet is not.
float norm_plus(const DecoderTensors& tensors) {
  return tensors.is_gguf() ? 0 : 1;
}

GatedAttention load_attention(DecoderTensors& tensors, const ModelConfig& config, int layer,
                              const RopeWeights& rope) {
  const int64_t heads = config.num_attention_heads;
  const int64_t q_rows = heads * config.head_dim;
  const int64_t kv_rows = config.num_key_value_heads * config.head_dim;
  // Stored head by head as [q | gate]; wanted as all q, then all gates.
  ProjectionRequest sources[] = {
      tensors.source(names::kQ, layer, 2 * q_rows, false,
                     ungrouped(heads, {config.head_dim, config.head_dim})),
      tensors.source(names::kK, layer, kv_rows), tensors.source(names::kV, layer, kv_rows)};
  sources[0].widths = {q_rows, q_rows};
  const float plus = norm_plus(tensors);
  return {
      .input_norm = tensors.norm(names::kInputNorm, layer, config.hidden_size, plus),
      .qgkv = tensors.projection("qgkv", layer, sources, config.hidden_size),
      .q_norm = tensors.norm(names::kQNorm, layer, config.head_dim, plus),
      .k_norm = tensors.norm(names::kKNorm, layer, config.head_dim, plus),
      .out = tensors.matrix(names::kOut, layer, {.rows = config.hidden_size, .columns = q_rows}),
      .rope = rope,
      .heads = heads,
      .kv_heads = config.num_key_value_heads,
      .head_dim = config.head_dim,
      .scale = attention_scale(config.head_dim)};
}

// q | k | v, z, b and a. Two tensors hold them for each key head in turn, or four one by one.
std::vector<ProjectionRequest> delta_net_sources(const DecoderTensors& tensors,
                                                 const HybridConfig& config, int layer) {
  const int64_t key_dim = config.key_dim;
  const int64_t values = config.value_heads * config.value_dim;
  const int64_t channels = 2 * config.key_heads * key_dim + values;
  if (!tensors.has(kQkvz, layer)) {
    return {tensors.source(kQkv, layer, channels), tensors.source(kZ, layer, values),
            tensors.source(kBeta, layer, config.value_heads),
            tensors.source(kAlpha, layer, config.value_heads)};
  }
  const int64_t heads = config.value_heads / config.key_heads;  // of values, for a key head
  const int64_t columns = heads * config.value_dim;
  std::vector<ProjectionRequest> sources = {
      tensors.source(kQkvz, layer, channels + values, false,
                     ungrouped(config.key_heads, {key_dim, key_dim, columns, columns})),
      tensors.source(kBetaAlpha, layer, 2 * config.value_heads, false,
                     ungrouped(config.key_heads, {heads, heads}))};
  sources[0].widths = {channels, values};
  sources[1].widths = {config.value_heads, config.value_heads};
  return sources;
}

GatedDeltaNet load_delta_net(DecoderTensors& tensors, const HybridConfig& config, int layer) {
  const int64_t hidden = config.model.hidden_size;
  const int64_t values = config.value_heads * config.value_dim;
  const int64_t channels = 2 * config.key_heads * config.key_dim + values;
  const TensorRequest conv{.name = tensors.name(kConv, layer), .rows = channels};
  return {.input_norm = tensors.norm(names::kInputNorm, layer, hidden, norm_plus(tensors)),
          .qkvzba = tensors.projection("qkvzba", layer, delta_net_sources(tensors, config, layer),
                                       hidden),
          .conv_name = conv.name,
          .conv = tensors.store().convolution({&conv, 1}, config.conv_taps),
          .gates_name = fmt::format("layer {} gates", layer),
          .a_log = tensors.store().vector({.name = tensors.name(kALog, layer, ""),
                                           .rows = config.value_heads,
                                           .minus_exp = tensors.is_gguf()}),
          .dt_bias = tensors.store().vector(
              {.name = tensors.name(kDtBias, layer, ""), .rows = config.value_heads}),
          .norm = tensors.norm(kDeltaNorm, layer, config.value_dim),
          .out = tensors.matrix(kDeltaOut, layer, {.rows = hidden, .columns = values}),
          .key_heads = config.key_heads,
          .value_heads = config.value_heads,
          .key_dim = config.key_dim,
          .value_dim = config.value_dim,
          // GGUF files hold the value heads in the order in which key heads repeat.
          .tiled_heads = tensors.is_gguf()};
}

// Layers that guess further tokens; no logits depend on them.
void ignore_draft_layers(WeightStore& store, const HybridConfig& config) {
  int64_t count = store.ignore_all("mtp.");
  const int64_t first = config.model.num_hidden_layers;
  for (int64_t layer = first; layer < first + config.draft_layers; ++layer) {
    count += store.ignore_all(fmt::format("blk.{}.", layer));
  }
  if (count > 0) {
    log_warn("{}: not loaded: {} tensors of layers that guess further tokens",
             store.source().label(), count);
  }
}

}  // namespace

FamilyOutput build_qwen_hybrid(FamilyInput& input, const QwenHybridTraits& traits) {
  const HybridConfig family = read_config(input.config);
  std::optional<QwenMoe> experts;
  if (traits.experts) {
    experts = read_qwen_moe(input.config, family.model, *traits.experts);
  }
  FamilyOutput output = start_output(input, family.model);
  const ModelConfig& config = output.config;
  DecoderTensors tensors(input, output);
  Builder b(input.policy);
  const LinearWeights embedding = tensors.matrix(
      names::kEmbedding, -1, {.rows = config.vocab_size, .columns = config.hidden_size});
  const RopeWeights rope = tensors.rope(config.rotary_columns);
  DecoderTensors::MlpNames mlp = kMlp;
  mlp.norm_plus = norm_plus(tensors);
  ignore_draft_layers(tensors.store(), family);
  Value x = b.embed(embedding);
  for (int layer = 0; layer < config.num_hidden_layers; ++layer) {
    b.set_layer(layer);
    x = family.is_attention[layer]
            ? gated_attention(b, x, load_attention(tensors, config, layer, rope))
            : gated_delta_net(b, x, load_delta_net(tensors, family, layer));
    if (experts && experts->is_sparse[layer]) {
      x = qwen_moe(b, tensors, x, layer, *experts,
                   tensors.norm(mlp.norm, layer, config.hidden_size, mlp.norm_plus));
    } else {
      x = swiglu_mlp(b, x, tensors.mlp(mlp, layer, config.intermediate_size));
    }
  }
  b.set_layer(-1);
  const Value h =
      b.rms_norm(b.gather_logit_rows(x),
                 tensors.norm(names::kFinalNorm, -1, config.hidden_size, norm_plus(tensors)));
  output.program = b.finish(b.linear(h, tensors.head(names::kHead, embedding)));
  return output;
}

}  // namespace invar
