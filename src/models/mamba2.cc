// See mamba2.h.
#include "models/mamba2.h"

#include <fmt/ranges.h>

#include <cmath>
#include <limits>

#include "core/error.h"
#include "layers/mamba2_mixer.h"
#include "models/decoder_tensors.h"

namespace invar {
namespace {

constexpr TensorName kEmbedding{"backbone.embeddings", ""};
constexpr TensorName kFinalNorm{"backbone.norm_f", ""};
constexpr TensorName kHead{"lm_head", ""};
constexpr TensorName kInputNorm{"backbone.layers.{}.norm", ""};
constexpr TensorName kIn{"backbone.layers.{}.mixer.in_proj", ""};
constexpr TensorName kConv{"backbone.layers.{}.mixer.conv1d", ""};
constexpr TensorName kDtBias{"backbone.layers.{}.mixer.dt_bias", ""};
constexpr TensorName kALog{"backbone.layers.{}.mixer.A_log", ""};
constexpr TensorName kD{"backbone.layers.{}.mixer.D", ""};
constexpr TensorName kNorm{"backbone.layers.{}.mixer.norm", ""};
constexpr TensorName kOut{"backbone.layers.{}.mixer.out_proj", ""};

constexpr IntegerRange kSize{1, int64_t{1} << 20};
constexpr IntegerRange kHeads{1, 4096};
constexpr IntegerRange kDims{16, kSsdDimMax};
constexpr NumberRange kExpand{1.0 / 1024, 1024};
constexpr double kTimeStepMax = 1e6;
constexpr ConfigKey kEpsilon[] = {{"layer_norm_epsilon", ""}};

struct Mamba2Config {
  ModelConfig model;
  SsdAttributes sizes;
  int64_t conv_taps = 0;
  bool conv_bias = false;
};

void read_time_step_limit(ConfigReader& reader, SsdAttributes& sizes) {
  const ConfigKey key{"time_step_limit", ""};
  const std::vector<double> limit = reader.numbers(key);
  sizes.dt_min = 0;
  sizes.dt_max = std::numeric_limits<float>::infinity();
  if (limit.empty()) {
    return;
  }
  // The second may be infinite.
  const bool fits = limit.size() == 2 && limit[0] >= 0 && limit[1] > limit[0] &&
                    limit[0] <= kTimeStepMax && (limit[1] <= kTimeStepMax || std::isinf(limit[1]));
  if (!fits) {
    reader.wrong(key, fmt::format("two ascending numbers from 0 to {}", kTimeStepMax),
                 fmt::format("{}", fmt::join(limit, ", ")));
  }
  sizes.dt_min = static_cast<float>(limit[0]);
  sizes.dt_max = static_cast<float>(limit[1]);
}

Mamba2Config read_config(ConfigReader& reader) {
  Mamba2Config config;
  ModelConfig& model = config.model;
  model.model_type = reader.architecture();
  model.vocab_size = reader.get_integer({"vocab_size", ""}, {1, int64_t{1} << 24});
  model.hidden_size = reader.get_integer({"hidden_size", ""}, kSize);
  model.num_hidden_layers = reader.get_integer({"num_hidden_layers", ""}, kHeads);
  // There is no table of positions: any length goes.
  model.max_position_embeddings = int64_t{1} << 24;
  model.rms_norm_eps = read_norm_epsilon(reader, kEpsilon);
  model.tie_word_embeddings = reader.find_boolean({"tie_word_embeddings", ""}).value_or(false);
  model.eos_token_ids = read_end_tokens(reader, model.vocab_size);
  config.sizes.heads = reader.get_integer({"num_heads", ""}, kHeads);
  config.sizes.head_dim = reader.get_integer({"head_dim", ""}, kDims);
  config.sizes.groups = reader.get_integer({"n_groups", ""}, kHeads);
  config.sizes.state_size = reader.get_integer({"state_size", ""}, kDims);
  config.conv_taps = reader.get_integer({"conv_kernel", ""}, {2, kCausalConvTapsMax});
  config.conv_bias = reader.find_boolean({"use_conv_bias", ""}).value_or(true);
  read_time_step_limit(reader, config.sizes);
  const int64_t inner = config.sizes.heads * config.sizes.head_dim;
  const double expand = reader.find_number({"expand", ""}, kExpand).value_or(2.0);
  if (static_cast<int64_t>(expand * static_cast<double>(model.hidden_size)) != inner) {
    fail(Code::kBadFile,
         "{}: key 'num_heads': expected heads * head_dim = expand * hidden_size, "
         "found {} and {}",
         reader.label(), inner, expand * static_cast<double>(model.hidden_size));
  }
  if (config.sizes.heads % config.sizes.groups != 0 || config.sizes.head_dim % 16 != 0 ||
      config.sizes.state_size % 16 != 0) {
    fail(Code::kUnsupported,
         "{}: sizes: expected heads a multiple of n_groups, head_dim and state_size multiples of "
         "16, "
         "found {}, {}, {}, {}",
         reader.label(), config.sizes.heads, config.sizes.groups, config.sizes.head_dim,
         config.sizes.state_size);
  }
  reader.require({"hidden_act", ""}, "silu");
  reader.require({"use_bias", ""}, false);
  reader.require({"rms_norm", ""}, true);
  // The gate comes first (layers/mamba2_mixer.h).
  reader.require({"norm_before_gate", ""}, false);
  constexpr std::string_view kIgnored[] = {"architectures",
                                           "chunk_size",
                                           "dtype",
                                           "initializer_range",
                                           "model_type",
                                           "pad_token_id",
                                           "rescale_prenorm_residual",
                                           "residual_in_fp32",
                                           "time_step_floor",
                                           "time_step_max",
                                           "time_step_min",
                                           "time_step_rank",
                                           "torch_dtype",
                                           "transformers_version",
                                           "use_cache"};
  reader.ignore(kIgnored);
  return config;
}

Mamba2Mixer load_mixer(DecoderTensors& tensors, const Mamba2Config& config, int layer) {
  const SsdAttributes& sizes = config.sizes;
  const int64_t hidden = config.model.hidden_size;
  const int64_t inner = sizes.heads * sizes.head_dim;
  const int64_t channels = inner + 2 * sizes.groups * sizes.state_size;
  WeightStore& store = tensors.store();
  const TensorRequest conv{.name = tensors.name(kConv, layer), .rows = channels};
  const auto per_head = [&](TensorName name) {
    return store.vector({.name = tensors.name(name, layer, ""), .rows = sizes.heads});
  };
  Mamba2Mixer mixer{
      .input_norm = tensors.norm(kInputNorm, layer, hidden),
      .in = tensors.matrix(kIn, layer, {.rows = inner + channels + sizes.heads, .columns = hidden}),
      .conv_name = conv.name,
      .conv = store.convolution({&conv, 1}, config.conv_taps),
      .conv_bias = {},
      .ssd = {.name = fmt::format("layer {} ssd", layer),
              .dt_bias = per_head(kDtBias),
              .a_log = per_head(kALog),
              .d = per_head(kD)},
      .sizes = sizes,
      .norm = tensors.norm(kNorm, layer, inner),
      .out = tensors.matrix(kOut, layer, {.rows = hidden, .columns = inner})};
  if (config.conv_bias) {
    mixer.conv_bias = store.vector({.name = tensors.name(kConv, layer, ".bias"), .rows = channels});
  }
  return mixer;
}

FamilyOutput build(FamilyInput& input) {
  const Mamba2Config family = read_config(input.config);
  FamilyOutput output = start_output(input, family.model);
  const ModelConfig& config = output.config;
  DecoderTensors tensors(input, output);
  Builder b(input.policy);
  const LinearWeights embedding =
      tensors.matrix(kEmbedding, -1, {.rows = config.vocab_size, .columns = config.hidden_size});
  Value x = b.embed(embedding);
  for (int layer = 0; layer < config.num_hidden_layers; ++layer) {
    b.set_layer(layer);
    x = mamba2_mixer(b, x, load_mixer(tensors, family, layer));
  }
  b.set_layer(-1);
  const Value h =
      b.rms_norm(b.gather_logit_rows(x), tensors.norm(kFinalNorm, -1, config.hidden_size));
  output.program = b.finish(b.linear(h, tensors.head(kHead, embedding)));
  return output;
}

}  // namespace

const Family kMamba2{.name = "mamba2", .gguf_architectures = {}, .build = &build};

}  // namespace invar
