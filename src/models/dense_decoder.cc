// See dense_decoder.h. Names first, then the layers.
#include "models/dense_decoder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"
#include "core/math.h"
#include "layers/grouped_query_attention.h"
#include "layers/swiglu_mlp.h"

namespace invar {
namespace {

// Context when none is asked for: enough for a chat, and tables that cost nothing.
constexpr int64_t kDefaultContext = 8192;

// Real factors stretch wavelengths by up to a few dozen; one far beyond switches rotation off.
constexpr float kFrequencyFactorMax = 1e6f;

// A tensor's name in both formats; `{}` is the layer.
struct TensorName {
  std::string_view hf;
  std::string_view gguf;
};

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
constexpr TensorName kMlpNorm{"model.layers.{}.post_attention_layernorm", "blk.{}.ffn_norm"};
constexpr TensorName kGate{"model.layers.{}.mlp.gate_proj", "blk.{}.ffn_gate"};
constexpr TensorName kUp{"model.layers.{}.mlp.up_proj", "blk.{}.ffn_up"};
constexpr TensorName kDown{"model.layers.{}.mlp.down_proj", "blk.{}.ffn_down"};

class DenseDecoder {
 public:
  DenseDecoder(FamilyInput& input, FamilyOutput& output, const DenseDecoderTraits& traits)
      : store_(input.weights), config_(output.config), traits_(traits), output_(output) {}

  void build(Builder& b) {
    const LinearWeights embedding = matrix(kEmbedding, -1, config_.vocab_size, config_.hidden_size);
    const TensorView rope = rope_table();
    Value x = b.embed(embedding);
    for (int layer = 0; layer < config_.num_hidden_layers; ++layer) {
      b.set_layer(layer);
      x = grouped_query_attention(b, x, attention(layer, rope));
      x = swiglu_mlp(b, x, mlp(layer));
    }
    b.set_layer(-1);
    const Value last = b.gather_logit_rows(x);
    const Value h = b.rms_norm(last, norm(kFinalNorm, -1, config_.hidden_size));
    output_.program = b.finish(b.linear(h, head(embedding)));
  }

 private:
  std::string name(TensorName tensor, int layer, std::string_view suffix) const {
    const std::string_view pattern = store_.source().is_gguf() ? tensor.gguf : tensor.hf;
    return fmt::format(fmt::runtime(pattern), layer) + std::string(suffix);
  }

  NormWeights norm(TensorName tensor, int layer, int64_t width, RowOrder order = {}) {
    const std::string full = name(tensor, layer, ".weight");
    return {.name = full,
            .weight = store_.vector({.name = full, .rows = width, .order = order}),
            .eps = config_.rms_norm_eps};
  }

  LinearWeights matrix(TensorName tensor, int layer, int64_t rows, int64_t columns,
                       bool bias = false) {
    const std::string full = name(tensor, layer, ".weight");
    LinearWeights weights{.name = full, .matrix = nullptr, .bias = {}};
    weights.matrix = store_.matrix({.name = full, .rows = rows, .order = {}}, columns);
    if (bias) {
      weights.bias =
          store_.vector({.name = name(tensor, layer, ".bias"), .rows = rows, .order = {}});
    }
    return weights;
  }

  ProjectionRequest source(TensorName tensor, int layer, int64_t rows, bool bias,
                           RowOrder order = {}) {
    return {.weight = {.name = name(tensor, layer, ".weight"), .rows = rows, .order = order},
            .bias = bias ? name(tensor, layer, ".bias") : ""};
  }

  RowOrder rotary_order() const {
    const bool paired = traits_.gguf_paired_rope && store_.source().is_gguf();
    return {.paired_head_rows = paired ? config_.head_dim : 0};
  }

  // Checked at once: the table is made of them before the store reports what is wrong.
  std::span<const float> frequency_factors() {
    const SourceTensor* tensor = store_.source().find("rope_freqs.weight");
    if (tensor == nullptr) {
      return {};
    }
    const int64_t length = config_.head_dim / 2;
    if (tensor->shape != std::vector<int64_t>{length}) {
      fail(Code::kBadFile, "{}: tensor '{}': expected [{}], found [{}]", tensor->file, tensor->name,
           length, fmt::join(tensor->shape, ", "));
    }
    const TensorView view =
        store_.vector({.name = std::string(tensor->name), .rows = length, .order = {}});
    const std::span<const float> factors(view.row<const float>(0), static_cast<size_t>(length));
    for (size_t i = 0; i < factors.size(); ++i) {
      if (!(factors[i] >= 1 / kFrequencyFactorMax && factors[i] <= kFrequencyFactorMax)) {
        fail(Code::kBadFile, "{}: tensor '{}': factor {}: expected {} to {}, found {}",
             tensor->file, tensor->name, i, 1 / kFrequencyFactorMax, kFrequencyFactorMax,
             factors[i]);
      }
    }
    return factors;
  }

  TensorView rope_table() {
    RopeTable::Options options{.parameters = config_.rope,
                               .rotary_columns = config_.head_dim,
                               .context = output_.context,
                               .frequency_factors = {}};
    if (store_.source().is_gguf()) {
      options.frequency_factors = frequency_factors();
    }
    output_.tables.rope.push_back(std::make_unique<RopeTable>(options));
    return output_.tables.rope.back()->view();
  }

  GroupedQueryAttention attention(int layer, TensorView rope) {
    const int64_t q_rows = config_.num_attention_heads * config_.head_dim;
    const int64_t kv_rows = config_.num_key_value_heads * config_.head_dim;
    const ProjectionRequest sources[] = {
        source(kQ, layer, q_rows, traits_.qkv_bias, rotary_order()),
        source(kK, layer, kv_rows, traits_.qkv_bias, rotary_order()),
        source(kV, layer, kv_rows, traits_.qkv_bias)};
    GroupedQueryAttention a{
        .input_norm = norm(kInputNorm, layer, config_.hidden_size),
        .qkv = load_projection(store_, fmt::format("layer {} qkv", layer), sources,
                               config_.hidden_size),
        .q_norm = {},
        .k_norm = {},
        .out = matrix(kOut, layer, config_.hidden_size, q_rows, traits_.out_bias),
        .rope_name = "rope",
        .rope_table = rope,
        .heads = config_.num_attention_heads,
        .kv_heads = config_.num_key_value_heads,
        .head_dim = config_.head_dim,
        .scale = static_cast<float>(pow_f64(static_cast<double>(config_.head_dim), -0.5))};
    if (traits_.qk_norm) {
      a.q_norm = norm(kQNorm, layer, config_.head_dim);
      a.k_norm = norm(kKNorm, layer, config_.head_dim);
    }
    if (!store_.source().is_gguf()) {
      store_.ignore(fmt::format("model.layers.{}.self_attn.rotary_emb.inv_freq", layer));
    }
    return a;
  }

  SwigluMlp mlp(int layer) {
    const ProjectionRequest sources[] = {
        source(kGate, layer, config_.intermediate_size, traits_.mlp_bias),
        source(kUp, layer, config_.intermediate_size, traits_.mlp_bias)};
    return {.input_norm = norm(kMlpNorm, layer, config_.hidden_size),
            .gate_up = load_projection(store_, fmt::format("layer {} gate_up", layer), sources,
                                       config_.hidden_size),
            .down = matrix(kDown, layer, config_.hidden_size, config_.intermediate_size,
                           traits_.mlp_bias)};
  }

  LinearWeights head(const LinearWeights& embedding) {
    if (config_.tie_word_embeddings) {
      // Some checkpoints store the tied matrix twice.
      store_.ignore(name(kHead, -1, ".weight"));
      return {.name = "head (tied)", .matrix = embedding.matrix, .bias = {}};
    }
    return matrix(kHead, -1, config_.vocab_size, config_.hidden_size);
  }

  WeightStore& store_;
  ModelConfig& config_;
  const DenseDecoderTraits& traits_;
  FamilyOutput& output_;
};

}  // namespace

FamilyOutput build_dense_decoder(FamilyInput& input, ModelConfig config,
                                 const DenseDecoderTraits& traits) {
  FamilyOutput output;
  if (input.config.is_gguf()) {
    const int64_t stored = input.weights.stored_rows("token_embd.weight");
    config.vocab_size = config.vocab_size == 0 ? stored : config.vocab_size;
    config.tie_word_embeddings = !input.weights.has("output.weight");
  }
  output.context =
      input.context > 0 ? input.context : std::min(config.max_position_embeddings, kDefaultContext);
  if (output.context > config.max_position_embeddings) {
    fail(Code::kBadArgument, "{}: context: expected at most max_position_embeddings {}, found {}",
         input.config.label(), config.max_position_embeddings, output.context);
  }
  output.config = std::move(config);
  Builder builder(input.policy);
  DenseDecoder(input, output, traits).build(builder);
  return output;
}

}  // namespace invar
