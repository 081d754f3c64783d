// See decoder_tensors.h.
#include "models/decoder_tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"
#include "core/math.h"

namespace invar {
namespace {

// Context when none is asked for: enough for a chat, and tables that cost nothing.
constexpr int64_t kDefaultContext = 8192;

// Real factors stretch wavelengths by up to a few dozen; one far beyond switches rotation off.
constexpr float kFrequencyFactorMax = 1e6F;

constexpr std::string_view kRopeFactors = "rope_freqs.weight";

// GGUF's rope_freqs.weight; empty if there is none. Checked at once: the table is made of them
// before the store reports what is wrong.
std::span<const float> frequency_factors(WeightStore& store, int64_t length) {
  const SourceTensor* tensor = store.source().find(kRopeFactors);
  if (tensor == nullptr) {
    return {};
  }
  if (tensor->shape != std::vector<int64_t>{length}) {
    fail(Code::kBadFile, "{}: tensor '{}': expected [{}], found [{}]", tensor->file, tensor->name,
         length, fmt::join(tensor->shape, ", "));
  }
  const TensorView view = store.vector({.name = std::string(tensor->name), .rows = length});
  const std::span<const float> factors(view.row<const float>(0), static_cast<size_t>(length));
  for (size_t i = 0; i < factors.size(); ++i) {
    if (!(factors[i] >= 1 / kFrequencyFactorMax && factors[i] <= kFrequencyFactorMax)) {
      fail(Code::kBadFile, "{}: tensor '{}': factor {}: expected {} to {}, found {}", tensor->file,
           tensor->name, i, 1 / kFrequencyFactorMax, kFrequencyFactorMax, factors[i]);
    }
  }
  return factors;
}

}  // namespace

std::string DecoderTensors::name(TensorName tensor, int layer, std::string_view suffix) const {
  return prefixed(fmt::format(fmt::runtime(is_gguf() ? tensor.gguf : tensor.hf), layer)) +
         std::string(suffix);
}

std::string DecoderTensors::prefixed(std::string name) const {
  constexpr std::string_view kModel = "model.";
  if (is_gguf()) {
    return name;
  }
  return name.starts_with(kModel) ? prefixes_.model + name.substr(kModel.size())
                                  : prefixes_.head + name;
}

NormWeights DecoderTensors::norm(TensorName tensor, int layer, int64_t width, float plus) {
  const std::string full = name(tensor, layer);
  return {.name = full,
          .weight = store_.vector({.name = full, .rows = width, .plus = plus}),
          .eps = eps_};
}

LinearWeights DecoderTensors::matrix(TensorName tensor, int layer, MatrixShape shape, bool bias) {
  const std::string full = name(tensor, layer);
  LinearWeights weights{.name = full,
                        .matrix = store_.matrix({.name = full, .rows = shape.rows}, shape.columns),
                        .bias = {}};
  if (bias) {
    weights.bias = store_.vector({.name = name(tensor, layer, ".bias"), .rows = shape.rows});
  }
  return weights;
}

ProjectionRequest DecoderTensors::source(TensorName tensor, int layer, int64_t rows, bool bias,
                                         RowOrder order) const {
  return {.weight = {.name = name(tensor, layer), .rows = rows, .order = std::move(order)},
          .bias = bias ? name(tensor, layer, ".bias") : ""};
}

Projection DecoderTensors::projection(std::string_view what, int layer,
                                      std::span<const ProjectionRequest> sources, int64_t columns) {
  return load_projection(store_, fmt::format("layer {} {}", layer, what), sources, columns);
}

LinearWeights DecoderTensors::head(TensorName tensor, const LinearWeights& embedding) {
  const ModelConfig& config = output_.config;
  if (!config.tie_word_embeddings) {
    return matrix(tensor, -1, {.rows = config.vocab_size, .columns = config.hidden_size});
  }
  // Some checkpoints store the tied matrix twice.
  const std::string full = name(tensor, -1);
  const SourceTensor* copy = store_.source().find(full);
  const SourceTensor* table = store_.source().find(embedding.name);
  if (copy != nullptr && table != nullptr && !std::ranges::equal(copy->data, table->data)) {
    fail(Code::kBadFile,
         "{}: tensor '{}': expected the bytes of '{}' (tie_word_embeddings is true), found others",
         copy->file, full, embedding.name);
  }
  store_.ignore(full);
  return {.name = "head (tied)", .matrix = embedding.matrix, .bias = {}};
}

RopeWeights DecoderTensors::rope(int64_t rotary_columns) {
  RopeTable::Options options{.label = fmt::format("{}: rope", store_.source().label()),
                             .parameters = output_.config.rope,
                             .rotary_columns = rotary_columns,
                             .context = output_.context};
  if (is_gguf()) {
    options.label = fmt::format("{}: rope with tensor '{}'", store_.source().label(), kRopeFactors);
    options.frequency_factors = frequency_factors(store_, rotary_columns / 2);
  }
  output_.tables.rope.push_back(std::make_unique<RopeTable>(options));
  return {.name = "rope",
          .table = output_.tables.rope.back()->view(),
          .sections = output_.config.rope.sections};
}

SwigluMlp DecoderTensors::mlp(const MlpNames& names, int layer, int64_t intermediate_size,
                              bool bias) {
  const int64_t hidden = output_.config.hidden_size;
  const ProjectionRequest sources[] = {source(names.gate, layer, intermediate_size, bias),
                                       source(names.up, layer, intermediate_size, bias)};
  return {.input_norm = norm(names.norm, layer, hidden, names.norm_plus),
          .gate_up = projection("gate_up", layer, sources, hidden),
          .down = matrix(names.down, layer, {.rows = hidden, .columns = intermediate_size}, bias)};
}

FamilyOutput start_output(const FamilyInput& input, ModelConfig config) {
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
  return output;
}

void require_full_rotation(const FamilyInput& input, const ModelConfig& config) {
  if (config.rotary_columns != config.head_dim) {
    fail(Code::kUnsupported, "{}: rotary columns: only all {} of a head are supported, found {}",
         input.config.label(), config.head_dim, config.rotary_columns);
  }
}

void require_attention_everywhere(const FamilyInput& input, const ModelConfig& config) {
  const std::vector<bool>& has_attention = config.layer_has_attention;
  const auto without = std::find(has_attention.begin(), has_attention.end(), false);
  if (without != has_attention.end()) {
    input.config.wrong({"num_key_value_heads", "attention.head_count_kv"},
                       "at least 1 head in every layer",
                       fmt::format("0 in layer {}", without - has_attention.begin()));
  }
}

float attention_scale(int64_t head_dim) {
  return static_cast<float>(pow_f64(static_cast<double>(head_dim), -0.5));
}

}  // namespace invar
