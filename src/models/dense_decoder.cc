// See dense_decoder.h. Names first, then the layers.
#include "models/dense_decoder.h"

#include <fmt/format.h>

#include "core/error.h"
#include "models/decoder_names.h"
#include "models/decoder_tensors.h"

namespace invar {
namespace {

constexpr DecoderTensors::MlpNames kMlp{
    .norm = {"model.layers.{}.post_attention_layernorm", "blk.{}.ffn_norm"},
    .gate = {"model.layers.{}.mlp.gate_proj", "blk.{}.ffn_gate"},
    .up = {"model.layers.{}.mlp.up_proj", "blk.{}.ffn_up"},
    .down = {"model.layers.{}.mlp.down_proj", "blk.{}.ffn_down"}};

GroupedQueryAttention load_attention(DecoderTensors& tensors, const ModelConfig& config, int layer,
                                     const DenseDecoderTraits& traits) {
  const int64_t q_rows = config.num_attention_heads * config.head_dim;
  const int64_t kv_rows = config.num_key_value_heads * config.head_dim;
  const RowOrder rotary =
      traits.gguf_paired_rope && tensors.is_gguf() ? paired_heads(config.head_dim) : RowOrder{};
  const ProjectionRequest sources[] = {
      tensors.source(names::kQ, layer, q_rows, traits.qkv_bias, rotary),
      tensors.source(names::kK, layer, kv_rows, traits.qkv_bias, rotary),
      tensors.source(names::kV, layer, kv_rows, traits.qkv_bias)};
  GroupedQueryAttention a{
      .input_norm = tensors.norm(names::kInputNorm, layer, config.hidden_size),
      .qkv = tensors.projection("qkv", layer, sources, config.hidden_size),
      .q_norm = {},
      .k_norm = {},
      .out = tensors.matrix(names::kOut, layer, {.rows = config.hidden_size, .columns = q_rows},
                            traits.out_bias),
      .rope = {},
      .heads = config.num_attention_heads,
      .kv_heads = config.num_key_value_heads,
      .head_dim = config.head_dim,
      .scale = attention_scale(config.head_dim)};
  if (traits.qk_norm) {
    a.q_norm = tensors.norm(names::kQNorm, layer, config.head_dim);
    a.k_norm = tensors.norm(names::kKNorm, layer, config.head_dim);
  }
  if (!tensors.is_gguf()) {
    tensors.store().ignore(fmt::format("model.layers.{}.self_attn.rotary_emb.inv_freq", layer));
  }
  return a;
}

}  // namespace

FamilyOutput build_dense_decoder(FamilyInput& input, ModelConfig model_config,
                                 const DenseDecoderTraits& traits) {
  FamilyOutput output = start_output(input, std::move(model_config));
  const ModelConfig& config = output.config;
  require_full_rotation(input, config);
  require_attention_everywhere(input, config);
  DecoderTensors tensors(input, output);
  Builder b(input.policy);
  const LinearWeights embedding = tensors.matrix(
      names::kEmbedding, -1, {.rows = config.vocab_size, .columns = config.hidden_size});
  const RopeWeights rope = tensors.rope(config.head_dim);
  Value x = b.embed(embedding);
  for (int layer = 0; layer < config.num_hidden_layers; ++layer) {
    b.set_layer(layer);
    GroupedQueryAttention attention = load_attention(tensors, config, layer, traits);
    attention.rope = rope;
    x = grouped_query_attention(b, x, attention);
    if (traits.experts != nullptr && traits.experts->is_sparse[layer]) {
      x = qwen_moe(b, tensors, x, layer, *traits.experts,
                   tensors.norm(kMlp.norm, layer, config.hidden_size));
    } else {
      x = swiglu_mlp(b, x, tensors.mlp(kMlp, layer, config.intermediate_size, traits.mlp_bias));
    }
  }
  b.set_layer(-1);
  const Value h =
      b.rms_norm(b.gather_logit_rows(x), tensors.norm(names::kFinalNorm, -1, config.hidden_size));
  output.program = b.finish(b.linear(h, tensors.head(names::kHead, embedding)));
  return output;
}

}  // namespace invar
