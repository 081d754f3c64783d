// See kimi_config.h.
#include "models/kimi_config.h"

#include <algorithm>

#include "backend/ops/attention.h"
#include "backend/ops/causal_conv.h"
#include "backend/ops/delta_rule.h"
#include "backend/ops/depth_mix.h"
#include "backend/ops/moe_route.h"
#include "config/stated_fact.h"
#include "core/error.h"

namespace invar {
namespace {

constexpr IntegerRange kSize{1, int64_t{1} << 20};
constexpr IntegerRange kLayers{1, 4096};
constexpr IntegerRange kHeads{1, 4096};
constexpr IntegerRange kPositions{1, int64_t{1} << 24};
constexpr NumberRange kFactor{1e-6, 1e6};
constexpr ConfigKey kEpsilon[] = {{"rms_norm_eps", ""}};
constexpr IntegerRange kNarrow{1, 4096};

// Keys with two spellings: the nested one, and the flat one of newer files.
class LinearKeys {
 public:
  LinearKeys(ConfigReader& outer, std::optional<ConfigReader> nested)
      : outer_(outer), nested_(std::move(nested)) {}

  int64_t integer(std::string_view nested, std::string_view flat, IntegerRange range) {
    StatedFact<int64_t> value;
    if (nested_) {
      value.add(*nested_, {nested, ""}, nested_->find_integer({nested, ""}, range));
    }
    value.add(outer_, {flat, ""}, outer_.find_integer({flat, ""}, range));
    return value.value() ? *value.value() : outer_.get_integer({flat, ""}, range);
  }
  std::optional<ConfigReader>& nested() { return nested_; }

 private:
  ConfigReader& outer_;
  std::optional<ConfigReader> nested_;
};

// Both lists count layers from 1.
std::vector<bool> read_layer_lists(ConfigReader& linear, int64_t layers) {
  std::vector<int> named(layers, 0);
  std::vector<bool> is_attention(layers, false);
  for (const std::string_view key : {"kda_layers", "full_attn_layers"}) {
    for (int64_t layer : linear.integers({key, ""})) {
      if (layer < 1 || layer > layers) {
        fail(Code::kBadFile, "{}: key '{}': expected layers from 1 to {}, found {}", linear.label(),
             key, layers, layer);
      }
      named[layer - 1] += 1;
      is_attention[layer - 1] = key == "full_attn_layers";
    }
  }
  for (int64_t layer = 1; layer <= layers; ++layer) {
    if (named[layer - 1] != 1) {
      fail(
          Code::kBadFile,
          "{}: keys 'kda_layers' and 'full_attn_layers': expected layer {} once, found it {} times",
          linear.label(), layer, named[layer - 1]);
    }
  }
  return is_attention;
}

std::vector<bool> read_kinds(ConfigReader& reader, std::string_view key, std::string_view yes,
                             std::string_view no, int64_t layers) {
  std::vector<bool> kinds = reader.kinds(key, {yes, no}, yes);
  if (!kinds.empty() && static_cast<int64_t>(kinds.size()) != layers) {
    fail(Code::kBadFile, "{}: key '{}': expected {} (num_hidden_layers), found {}", reader.label(),
         key, layers, kinds.size());
  }
  return kinds;
}

void read_layer_kinds(ConfigReader& reader, std::optional<ConfigReader>& linear,
                      KimiConfig& config) {
  const int64_t layers = config.model.num_hidden_layers;
  constexpr ConfigKey kTypes{"layer_types", ""};
  constexpr ConfigKey kLists{"full_attn_layers", ""};
  StatedFact<std::vector<bool>> is_attention;
  if (linear && (linear->has({"kda_layers", ""}) || linear->has(kLists))) {
    is_attention.add(*linear, kLists, read_layer_lists(*linear, layers));
  }
  const std::vector<bool> types =
      read_kinds(reader, kTypes.hf, "full_attention", "linear_attention", layers);
  if (!types.empty()) {
    is_attention.add(reader, kTypes, types);
  }
  if (!is_attention.value()) {
    reader.wrong(kTypes, "the kind of each layer, here or in linear_attn_config", nullptr);
  }
  config.is_attention = *is_attention.value();
}

void read_delta_attention(ConfigReader& reader, KimiConfig& config) {
  LinearKeys keys(reader, reader.object("linear_attn_config"));
  read_layer_kinds(reader, keys.nested(), config);
  KimiConfig::DeltaAttention& delta = config.delta;
  delta.heads = keys.integer("num_heads", "linear_num_heads", kHeads);
  delta.head_dim = keys.integer("head_dim", "linear_head_dim", {1, kDeltaRuleDimMax});
  delta.conv_taps =
      keys.integer("short_conv_kernel_size", "linear_conv_kernel_dim", {2, kCausalConvTapsMax});
  if (delta.head_dim % 16 != 0) {
    fail(Code::kUnsupported,
         "{}: key 'linear_attn_config.head_dim': expected a multiple of 16, "
         "found {}",
         reader.label(), delta.head_dim);
  }
  if (auto& linear = keys.nested()) {
    if (const auto bound = linear->find_number({"gate_lower_bound", ""}, {-1e6, -1e-6})) {
      delta.lower_bound = static_cast<float>(*bound);
    }
    delta.full_rank_gate = linear->find_boolean({"use_full_rank_gate", ""}).value_or(false);
    linear->refuse_unread();
  }
}

void read_latent_attention(ConfigReader& reader, KimiConfig& config) {
  KimiConfig::LatentAttention& latent = config.latent;
  latent.q_lora = reader.find_integer({"q_lora_rank", ""}, kSize).value_or(0);
  latent.kv_lora = reader.get_integer({"kv_lora_rank", ""}, kNarrow);
  latent.nope = reader.get_integer({"qk_nope_head_dim", ""}, kNarrow);
  latent.rope = reader.get_integer({"qk_rope_head_dim", ""}, kNarrow);
  latent.value_dim = reader.get_integer({"v_head_dim", ""}, kNarrow);
  latent.gated = reader.find_boolean({"mla_use_output_gate", ""}).value_or(false);
  latent.rotated = !reader.find_boolean({"mla_use_nope", ""}).value_or(true);
  if (latent.kv_lora + latent.rope > kAttentionLatentDimMax) {
    fail(Code::kUnsupported,
         "{}: key 'kv_lora_rank': expected at most {} together with qk_rope_head_dim, found {}",
         reader.label(), kAttentionLatentDimMax, latent.kv_lora + latent.rope);
  }
  // Where nothing rotates the base has no meaning.
  config.model.rope = read_rope_parameters(reader);
  if (latent.rotated && latent.rope % 2 != 0) {
    fail(Code::kBadFile, "{}: key 'qk_rope_head_dim': expected an even number, found {}",
         reader.label(), latent.rope);
  }
  if (latent.rotated) {
    check_sections(reader, config.model.rope, latent.rope);
  }
  reader.require({"qk_head_dim", ""}, latent.nope + latent.rope);
  reader.require({"num_key_value_heads", ""}, config.model.num_attention_heads);
}

// How many, or the kind of each: then the dense ones must be the first.
void read_dense_layers(ConfigReader& reader, KimiConfig& config) {
  const int64_t layers = config.model.num_hidden_layers;
  const std::vector<bool> sparse = read_kinds(reader, "mlp_layer_types", "sparse", "dense", layers);
  const auto first_sparse = std::ranges::find(sparse, true) - sparse.begin();
  config.dense_layers =
      reader.find_integer({"first_k_dense_replace", ""}, {0, layers}).value_or(first_sparse);
  for (size_t layer = 0; layer < sparse.size(); ++layer) {
    if (sparse[layer] == (static_cast<int64_t>(layer) < config.dense_layers)) {
      fail(Code::kBadFile,
           "{}: key 'mlp_layer_types': expected {} dense layers (first_k_dense_replace) first, "
           "found layer {} otherwise",
           reader.label(), config.dense_layers, layer);
    }
  }
}

void read_experts(ConfigReader& reader, KimiConfig& config) {
  KimiConfig::Experts& experts = config.experts;
  experts.count = reader.get_integer({"num_experts", ""}, {1, kMoeExpertsMax});
  experts.width = reader.get_integer({"moe_intermediate_size", ""}, kSize);
  experts.shared_width =
      experts.width * reader.find_integer({"num_shared_experts", ""}, {0, 64}).value_or(0);
  experts.latent_width = reader.find_integer({"routed_expert_hidden_size", ""}, kSize).value_or(0);
  experts.latent_norm = reader.find_boolean({"latent_moe_use_norm", ""}).value_or(false);
  MoeRouteAttributes& routing = experts.routing;
  routing.sigmoid = true;
  routing.top_k =
      reader.get_integer({"num_experts_per_token", ""}, {1, std::min(kMoeTopKMax, experts.count)});
  routing.groups = reader.find_integer({"num_expert_group", ""}, {1, experts.count}).value_or(1);
  routing.groups_used =
      reader.find_integer({"topk_group", ""}, {1, std::min(kMoeTopKMax, routing.groups)})
          .value_or(1);
  // The only chosen expert keeps its score.
  routing.renormalize =
      reader.find_boolean({"moe_renormalize", ""}).value_or(true) && routing.top_k > 1;
  routing.scale =
      static_cast<float>(reader.find_number({"routed_scaling_factor", ""}, kFactor).value_or(1.0));
  if (experts.count % routing.groups != 0 ||
      routing.top_k > experts.count / routing.groups * routing.groups_used) {
    fail(Code::kBadFile,
         "{}: key 'num_expert_group': expected a divisor of {} experts with {} in {} groups, "
         "found {}",
         reader.label(), experts.count, routing.top_k, routing.groups_used, routing.groups);
  }
  if (routing.groups > 1) {
    reader.require({"use_grouped_topk", ""}, true);
  }
  reader.require({"moe_router_activation_func", ""}, "sigmoid");
  reader.require({"topk_method", ""}, "noaux_tc");
  reader.require({"moe_layer_freq", ""}, 1);
  read_dense_layers(reader, config);
}

void read_activation(ConfigReader& reader, KimiConfig& config) {
  if (reader.find_string({"hidden_act", ""}).value_or("silu") != "situ") {
    reader.require({"hidden_act", ""}, "silu");
    return;
  }
  const double beta = reader.get_number({"activation_situ_beta", ""}, kFactor);
  const double linear_beta =
      reader.find_number({"activation_situ_linear_beta", ""}, {0, kFactor.max}).value_or(0);
  config.situ = {.beta = static_cast<float>(beta), .linear_beta = static_cast<float>(linear_beta)};
}

void read_banks(ConfigReader& reader, KimiConfig& config) {
  constexpr ConfigKey kBankLayers{"attn_res_block_size", ""};
  const int64_t layers = config.model.num_hidden_layers;
  config.bank_layers = reader.find_integer(kBankLayers, kLayers).value_or(0);
  const int64_t least = (layers + kDepthMixBanksMax - 1) / kDepthMixBanksMax;
  if (config.bank_layers > 0 && config.bank_layers < least) {
    fail(Code::kUnsupported,
         "{}: expected at least {} for {} layers in at most {} blocks, found {}",
         reader.place(kBankLayers), least, layers, kDepthMixBanksMax, config.bank_layers);
  }
}

}  // namespace

void drop_leftover_end_token(ModelConfig& config) {
  constexpr int64_t kK3Vocabulary = 163840;
  constexpr int64_t kLeftover = 2;
  if (config.vocab_size == kK3Vocabulary) {
    config.not_end_token_ids = {kLeftover};
    std::erase(config.eos_token_ids, kLeftover);
  }
}

KimiConfig read_kimi_config(ConfigReader& reader) {
  KimiConfig config;
  ModelConfig& model = config.model;
  model.model_type = reader.architecture();
  model.vocab_size = reader.get_integer({"vocab_size", ""}, {1, int64_t{1} << 24});
  model.hidden_size = reader.get_integer({"hidden_size", ""}, kSize);
  model.intermediate_size = reader.get_integer({"intermediate_size", ""}, kSize);
  model.num_hidden_layers = reader.get_integer({"num_hidden_layers", ""}, kLayers);
  model.num_attention_heads = reader.get_integer({"num_attention_heads", ""}, kHeads);
  model.num_key_value_heads = model.num_attention_heads;
  StatedFact<int64_t> length;
  for (const std::string_view key : {"max_position_embeddings", "model_max_length"}) {
    length.add(reader, {key, ""}, reader.find_integer({key, ""}, kPositions));
  }
  model.max_position_embeddings = length.value_or(kPositions.max);
  model.rms_norm_eps = read_norm_epsilon(reader, kEpsilon);
  model.tie_word_embeddings = reader.find_boolean({"tie_word_embeddings", ""}).value_or(false);
  model.eos_token_ids = read_end_tokens(reader, model.vocab_size);
  read_delta_attention(reader, config);
  read_latent_attention(reader, config);
  read_experts(reader, config);
  read_activation(reader, config);
  read_banks(reader, config);
  model.quantization = read_quantization_config(reader);
  reader.require({"attention_bias", ""}, false);
  reader.require({"num_nextn_predict_layers", ""}, 0);
  // It says nothing that the widths of both attentions do not.
  reader.find_integer({"head_dim", ""}, kSize);
  reader.find_boolean({"use_grouped_topk", ""});
  ignore_inert_keys(reader);
  return config;
}

}  // namespace invar
