// See quantization_config.h.
#include "config/quantization_config.h"

#include <fmt/format.h>

namespace invar {
namespace {

constexpr std::string_view kFormat = "mxfp4-pack-quantized";

void require_weight_scheme(ConfigReader& weights) {
  weights.require({"num_bits", ""}, 4);
  weights.require({"type", ""}, "float");
  weights.require({"strategy", ""}, "group");
  weights.require({"group_size", ""}, 32);
  weights.require({"symmetric", ""}, true);
  weights.require({"dynamic", ""}, false);
  weights.require({"scale_dtype", ""}, "torch.uint8");
  weights.require({"actorder", ""}, nullptr);
  weights.require({"block_structure", ""}, nullptr);
  weights.require({"zp_dtype", ""}, nullptr);
  constexpr std::string_view kHowItWasMade[] = {"observer", "observer_kwargs"};
  weights.ignore(kHowItWasMade);
  weights.refuse_unread();
}

void require_group(ConfigReader& group) {
  group.require({"format", ""}, kFormat);
  group.require({"input_activations", ""}, nullptr);
  group.require({"output_activations", ""}, nullptr);
  group.require({"targets", ""}, nlohmann::json::array({"Linear"}));
  if (auto weights = group.object("weights")) {
    require_weight_scheme(*weights);
  }
  group.refuse_unread();
}

}  // namespace

void require_known_quantization(ConfigReader& reader) {
  auto quantization = reader.object("quantization_config");
  if (!quantization) {
    return;
  }
  quantization->require({"quant_method", ""}, "compressed-tensors");
  quantization->require({"format", ""}, kFormat);
  quantization->require({"quantization_status", ""}, "compressed");
  quantization->require({"kv_cache_scheme", ""}, nullptr);
  quantization->require({"sparsity_config", ""}, nlohmann::json::object());
  quantization->require({"transform_config", ""}, nlohmann::json::object());
  if (auto groups = quantization->object("config_groups")) {
    int index = 0;
    while (auto group = groups->object(fmt::format("group_{}", index))) {
      require_group(*group);
      index += 1;
    }
    groups->refuse_unread();
  }
  // `ignore` lists what is not packed, which the tensors tell.
  constexpr std::string_view kNoMeaning[] = {"global_compression_ratio", "ignore", "version"};
  quantization->ignore(kNoMeaning);
  quantization->refuse_unread();
}

}  // namespace invar
