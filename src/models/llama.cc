// See llama.h. GGUF's "llama" stores q and k with rotary pairs side by side.
#include "models/llama.h"

#include "models/dense_decoder.h"

namespace invar {
namespace {

FamilyOutput build(FamilyInput& input) {
  ConfigReader& reader = input.config;
  ModelConfig config = read_model_config(reader);
  const bool attention_bias = reader.find_boolean({"attention_bias", ""}).value_or(false);
  const bool mlp_bias = reader.find_boolean({"mlp_bias", ""}).value_or(false);
  reader.require({"rope_interleaved", ""}, false);
  return build_dense_decoder(input, std::move(config),
                             {.qkv_bias = attention_bias,
                              .out_bias = attention_bias,
                              .mlp_bias = mlp_bias,
                              .gguf_paired_rope = true});
}

constexpr std::string_view kArchitectures[] = {"llama"};

}  // namespace

const Family kLlama{.name = "llama", .gguf_architectures = kArchitectures, .build = &build};

}  // namespace invar
