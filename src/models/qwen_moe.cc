// See qwen_moe.h.
#include "models/qwen_moe.h"

#include <algorithm>

#include "config/stated_fact.h"
#include "core/error.h"

namespace invar {
namespace {

constexpr TensorName kRouter{"model.layers.{}.mlp.gate", "blk.{}.ffn_gate_inp"};
constexpr TensorName kSharedGate{"model.layers.{}.mlp.shared_expert.gate_proj",
                                 "blk.{}.ffn_gate_shexp"};
constexpr TensorName kSharedUp{"model.layers.{}.mlp.shared_expert.up_proj", "blk.{}.ffn_up_shexp"};
constexpr TensorName kSharedDown{"model.layers.{}.mlp.shared_expert.down_proj",
                                 "blk.{}.ffn_down_shexp"};
constexpr TensorName kSharedFactor{"model.layers.{}.mlp.shared_expert_gate",
                                   "blk.{}.ffn_gate_inp_shexp"};
constexpr ExpertNames kExperts{.gate = "model.layers.{}.mlp.experts.{}.gate_proj.weight",
                               .up = "model.layers.{}.mlp.experts.{}.up_proj.weight",
                               .down = "model.layers.{}.mlp.experts.{}.down_proj.weight",
                               .fused_gate_up = "model.layers.{}.mlp.experts.gate_up_proj",
                               .fused_down = "model.layers.{}.mlp.experts.down_proj"};

constexpr IntegerRange kExpertCount{1, kMoeExpertsMax};
constexpr IntegerRange kWidth{1, int64_t{1} << 20};
constexpr ConfigKey kWidthKey{"moe_intermediate_size", "expert_feed_forward_length"};
constexpr ConfigKey kSharedWidthKey{"shared_expert_intermediate_size",
                                    "expert_shared_feed_forward_length"};

// Losses of training.
constexpr std::string_view kIgnored[] = {"output_router_logits", "router_aux_loss_coef"};

int64_t read_expert_count(ConfigReader& reader) {
  constexpr ConfigKey kKeys[] = {{"num_experts", "expert_count"},
                                 {"num_local_experts", ""}};  // as newer files call them
  StatedFact<int64_t> count;
  for (const ConfigKey& key : kKeys) {
    count.add(reader, key, reader.find_integer(key, kExpertCount));
  }
  return count.value() ? *count.value() : reader.get_integer(kKeys[0], kExpertCount);
}

// Every decoder_sparse_step-th layer has experts, but for those listed.
std::vector<bool> read_sparse_layers(ConfigReader& reader, const ModelConfig& config) {
  const int64_t layers = config.num_hidden_layers;
  const int64_t step = reader.find_integer({"decoder_sparse_step", ""}, {1, layers}).value_or(1);
  std::vector<bool> is_sparse;
  for (int64_t layer = 0; layer < layers; ++layer) {
    is_sparse.push_back((layer + 1) % step == 0);
  }
  for (int64_t layer : reader.integers({"mlp_only_layers", ""})) {
    if (layer < 0 || layer >= layers) {
      fail(Code::kBadFile, "{}: key 'mlp_only_layers': expected layers up to {}, found {}",
           reader.label(), layers - 1, layer);
    }
    is_sparse[layer] = false;
  }
  if (config.intermediate_size == 0 && std::ranges::find(is_sparse, false) != is_sparse.end()) {
    fail(Code::kBadFile,
         "{}: key 'intermediate_size': expected the width of layers without experts, found nothing",
         reader.label());
  }
  return is_sparse;
}

SharedExperts load_shared(DecoderTensors& tensors, int layer, int64_t hidden, int64_t width) {
  const ProjectionRequest sources[] = {tensors.source(kSharedGate, layer, width),
                                       tensors.source(kSharedUp, layer, width)};
  return {.gate_up = tensors.projection("shared expert's gate_up", layer, sources, hidden),
          .down = tensors.matrix(kSharedDown, layer, {.rows = hidden, .columns = width}),
          .gate = tensors.matrix(kSharedFactor, layer, {.rows = 1, .columns = hidden})};
}

}  // namespace

QwenMoe read_qwen_moe(ConfigReader& reader, const ModelConfig& config,
                      const QwenMoeTraits& traits) {
  QwenMoe m;
  m.experts = read_expert_count(reader);
  m.top_k = reader.get_integer({"num_experts_per_tok", "expert_used_count"},
                               {1, std::min(m.experts, kMoeTopKMax)});
  m.width = reader.get_integer(kWidthKey, kWidth);
  m.shared_width = traits.shared ? reader.get_integer(kSharedWidthKey, kWidth) : 0;
  m.renormalize = reader.find_boolean({"norm_topk_prob", ""}).value_or(traits.renormalize);
  m.is_sparse = read_sparse_layers(reader, config);
  reader.ignore(kIgnored);
  return m;
}

Value qwen_moe(Builder& b, DecoderTensors& tensors, Value x, int layer, const QwenMoe& m,
               const NormWeights& norm) {
  const int64_t hidden = x.columns;
  Moe layer_moe{
      .router = tensors.matrix(kRouter, layer, {.rows = m.experts, .columns = hidden}),
      .correction_bias_name = {},
      .correction_bias = {},
      .routing = {.top_k = m.top_k, .renormalize = m.renormalize},
      .experts = load_experts(tensors, kExperts, layer,
                              {.experts = m.experts, .width = m.width, .columns = hidden}),
      .activation = swiglu(),
      .latent = {},
      .shared = {}};
  if (m.shared_width > 0) {
    layer_moe.shared = load_shared(tensors, layer, hidden, m.shared_width);
  }
  return moe(b, b.rms_norm(x, norm, {.rounded = false}), x, layer_moe);
}

}  // namespace invar
