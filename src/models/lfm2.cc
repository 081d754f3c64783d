// See lfm2.h.
#include "models/lfm2.h"

#include "config/stated_fact.h"
#include "layers/short_conv.h"
#include "models/decoder_names.h"
#include "models/decoder_tensors.h"

namespace invar {
namespace {

constexpr TensorName kFinalNorm{"model.embedding_norm", "token_embd_norm"};
constexpr TensorName kOperatorNorm{"model.layers.{}.operator_norm", "blk.{}.attn_norm"};
constexpr TensorName kConvIn{"model.layers.{}.conv.in_proj", "blk.{}.shortconv.in_proj"};
constexpr TensorName kConv{"model.layers.{}.conv.conv", "blk.{}.shortconv.conv"};
constexpr TensorName kConvOut{"model.layers.{}.conv.out_proj", "blk.{}.shortconv.out_proj"};
constexpr TensorName kOut{"model.layers.{}.self_attn.out_proj", "blk.{}.attn_output"};
constexpr TensorName kQNorm{"model.layers.{}.self_attn.q_layernorm", "blk.{}.attn_q_norm"};
constexpr TensorName kKNorm{"model.layers.{}.self_attn.k_layernorm", "blk.{}.attn_k_norm"};
constexpr DecoderTensors::MlpNames kMlp{
    .norm = {"model.layers.{}.ffn_norm", "blk.{}.ffn_norm"},
    .gate = {"model.layers.{}.feed_forward.w1", "blk.{}.ffn_gate"},
    .up = {"model.layers.{}.feed_forward.w3", "blk.{}.ffn_up"},
    .down = {"model.layers.{}.feed_forward.w2", "blk.{}.ffn_down"}};

struct Lfm2Config {
  ModelConfig model;
  int64_t conv_taps = 0;
  std::vector<bool> is_attention;  // by layer
};

std::vector<bool> read_layer_kinds(ConfigReader& reader, const ModelConfig& model) {
  constexpr ConfigKey kTypes{"layer_types", ""};
  constexpr ConfigKey kIndexes{"full_attn_idxs", ""};
  constexpr ConfigKey kHeads{"", "attention.head_count_kv"};
  const int64_t layers = model.num_hidden_layers;
  StatedFact<std::vector<bool>> kinds;
  const std::vector<bool> types =
      reader.kinds(kTypes.hf, {"conv", "full_attention"}, "full_attention");
  if (!types.empty()) {
    if (std::ssize(types) != layers) {
      reader.wrong(kTypes, fmt::format("{} layers (num_hidden_layers)", layers), types.size());
    }
    kinds.add(reader, kTypes, types);
  }
  const std::vector<int64_t> indexes = reader.integers(kIndexes);
  if (!indexes.empty()) {
    std::vector<bool> listed(layers, false);
    for (int64_t index : indexes) {
      if (index < 0 || index >= layers) {
        reader.wrong(kIndexes, fmt::format("layers below {}", layers), index);
      }
      listed[index] = true;
    }
    kinds.add(reader, kIndexes, listed);
  }
  if (!model.layer_has_attention.empty()) {
    kinds.add(reader, kHeads, model.layer_has_attention);
  }
  if (!kinds.value()) {
    reader.wrong(reader.is_gguf() ? kHeads : kTypes, "the kind of each layer", nullptr);
  }
  return *kinds.value();
}

// Sizes that these files state a second time, and a third.
void require_same_sizes(ConfigReader& reader, const ModelConfig& model) {
  constexpr IntegerRange kSize{1, int64_t{1} << 20};
  const struct {
    std::string_view first;
    int64_t value;
    std::vector<std::string_view> others;
  } facts[] = {
      {"hidden_size", model.hidden_size, {"block_dim", "conv_dim", "conv_dim_out"}},
      {"num_attention_heads", model.num_attention_heads, {"num_heads"}},
  };
  for (const auto& fact : facts) {
    StatedFact<int64_t> size;
    size.add(reader, {fact.first, ""}, fact.value);
    for (const std::string_view other : fact.others) {
      size.add(reader, {other, ""}, reader.find_integer({other, ""}, kSize));
    }
  }
}

Lfm2Config read_config(ConfigReader& reader) {
  Lfm2Config config;
  config.model =
      read_model_config(reader, {.tie_word_embeddings = true, .rope = {.rope_theta = 1e6}});
  config.conv_taps =
      reader.get_integer({"conv_L_cache", "shortconv.l_cache"}, {2, kCausalConvTapsMax});
  config.is_attention = read_layer_kinds(reader, config.model);
  require_same_sizes(reader, config.model);
  reader.require({"conv_bias", ""}, false);
  // The published files state the adjusted width themselves in what transformers writes; older ones
  // derive it from these keys.
  const bool adjusts = reader.find_boolean({"block_auto_adjust_ff_dim", ""}).value_or(false);
  const ConfigKey multiplier_key{"block_ffn_dim_multiplier", ""};
  const double multiplier = reader.find_number(multiplier_key, {1e-3, 1e3}).value_or(1.0);
  const int64_t multiple =
      reader.find_integer({"block_multiple_of", ""}, {1, 1 << 20}).value_or(256);
  if (adjusts) {
    const auto two_thirds = static_cast<double>(2 * config.model.intermediate_size / 3);
    const auto width = static_cast<int64_t>(multiplier * two_thirds);
    if (width < 1) {
      reader.wrong(multiplier_key, "a feed-forward of at least 1 column", multiplier);
    }
    config.model.intermediate_size = (width + multiple - 1) / multiple * multiple;
  }
  reader.require({"block_use_swiglu", ""}, true);
  reader.require({"use_pos_enc", ""}, true);
  constexpr std::string_view kIgnored[] = {"block_mlp_init_scale", "block_out_init_scale",
                                           "block_use_xavier_init", "conv_use_xavier_init"};
  reader.ignore(kIgnored);
  return config;
}

ShortConv load_conv(DecoderTensors& tensors, const Lfm2Config& config, int layer) {
  const int64_t hidden = config.model.hidden_size;
  const TensorRequest conv{.name = tensors.name(kConv, layer), .rows = hidden};
  return {.input_norm = tensors.norm(kOperatorNorm, layer, hidden),
          .in = tensors.matrix(kConvIn, layer, {.rows = 3 * hidden, .columns = hidden}),
          .conv_name = conv.name,
          .conv = tensors.store().convolution({&conv, 1}, config.conv_taps),
          .out = tensors.matrix(kConvOut, layer, {.rows = hidden, .columns = hidden})};
}

GroupedQueryAttention load_attention(DecoderTensors& tensors, const ModelConfig& config, int layer,
                                     const RopeWeights& rope) {
  const int64_t q_rows = config.num_attention_heads * config.head_dim;
  const int64_t kv_rows = config.num_key_value_heads * config.head_dim;
  const ProjectionRequest sources[] = {tensors.source(names::kQ, layer, q_rows),
                                       tensors.source(names::kK, layer, kv_rows),
                                       tensors.source(names::kV, layer, kv_rows)};
  return {.input_norm = tensors.norm(kOperatorNorm, layer, config.hidden_size),
          .qkv = tensors.projection("qkv", layer, sources, config.hidden_size),
          .q_norm = tensors.norm(kQNorm, layer, config.head_dim),
          .k_norm = tensors.norm(kKNorm, layer, config.head_dim),
          .out = tensors.matrix(kOut, layer, {.rows = config.hidden_size, .columns = q_rows}),
          .rope = rope,
          .heads = config.num_attention_heads,
          .kv_heads = config.num_key_value_heads,
          .head_dim = config.head_dim,
          .scale = attention_scale(config.head_dim)};
}

FamilyOutput build(FamilyInput& input) {
  const Lfm2Config family = read_config(input.config);
  require_full_rotation(input, family.model);
  FamilyOutput output = start_output(input, family.model);
  const ModelConfig& config = output.config;
  DecoderTensors tensors(input, output);
  Builder b(input.policy);
  const LinearWeights embedding = tensors.matrix(
      names::kEmbedding, -1, {.rows = config.vocab_size, .columns = config.hidden_size});
  const RopeWeights rope = tensors.rope(config.head_dim);
  Value x = b.embed(embedding);
  for (int layer = 0; layer < config.num_hidden_layers; ++layer) {
    b.set_layer(layer);
    x = family.is_attention[layer]
            ? grouped_query_attention(b, x, load_attention(tensors, config, layer, rope))
            : short_conv(b, x, load_conv(tensors, family, layer));
    x = swiglu_mlp(b, x, tensors.mlp(kMlp, layer, config.intermediate_size));
  }
  b.set_layer(-1);
  const Value h =
      b.rms_norm(b.gather_logit_rows(x), tensors.norm(kFinalNorm, -1, config.hidden_size));
  output.program = b.finish(b.linear(h, tensors.head(names::kHead, embedding)));
  return output;
}

constexpr std::string_view kArchitectures[] = {"lfm2"};

}  // namespace

const Family kLfm2{.name = "lfm2", .gguf_architectures = kArchitectures, .build = &build};

}  // namespace invar
