// See qwen3_moe.h.
#include "models/qwen3_moe.h"

#include "models/dense_decoder.h"
#include "models/qwen2.h"

namespace invar {
namespace {

FamilyOutput build(FamilyInput& input) {
  ModelConfig config = read_model_config(input.config);
  require_full_attention(input.config);
  const bool bias = input.config.find_boolean({"attention_bias", ""}).value_or(false);
  // GGUF files do not say it: the published models that they are made of all renormalise.
  const QwenMoe experts =
      read_qwen_moe(input.config, config, {.renormalize = input.config.is_gguf(), .shared = false});
  return build_dense_decoder(
      input, std::move(config),
      {.qkv_bias = bias, .out_bias = bias, .qk_norm = true, .experts = &experts});
}

constexpr std::string_view kArchitectures[] = {"qwen3moe"};

}  // namespace

const Family kQwen3Moe{.name = "qwen3_moe", .gguf_architectures = kArchitectures, .build = &build};

}  // namespace invar
