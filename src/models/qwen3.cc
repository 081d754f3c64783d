// See qwen3.h.
#include "models/qwen3.h"

#include "models/dense_decoder.h"
#include "models/qwen2.h"

namespace invar {
namespace {

FamilyOutput build(FamilyInput& input) {
  ModelConfig config = read_model_config(input.config, {.head_dim = 128});
  require_full_attention(input.config);
  const bool bias = input.config.find_boolean({"attention_bias", ""}).value_or(false);
  return build_dense_decoder(input, std::move(config),
                             {.qkv_bias = bias, .out_bias = bias, .qk_norm = true});
}

constexpr std::string_view kArchitectures[] = {"qwen3"};

}  // namespace

const Family kQwen3{.name = "qwen3", .gguf_architectures = kArchitectures, .build = &build};

}  // namespace invar
