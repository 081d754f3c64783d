// See quantization_config.h.
#include "config/quantization_config.h"

#include <fmt/format.h>

namespace invar {
namespace {

constexpr std::string_view kFormat = "mxfp4-pack-quantized";

// It must be there, and say this.
void demand(ConfigReader& reader, std::string_view key, const nlohmann::json& value) {
  if (!reader.has({key, ""})) {
    reader.wrong({key, ""}, short_text(value), nullptr);
  }
  reader.require({key, ""}, value);
}

ConfigReader demand_object(ConfigReader& reader, std::string_view key) {
  auto object = reader.object(key);
  if (!object) {
    reader.wrong({key, ""}, "an object", nullptr);
  }
  return *std::move(object);
}

void require_weight_scheme(ConfigReader& weights) {
  demand(weights, "num_bits", 4);
  demand(weights, "type", "float");
  demand(weights, "strategy", "group");
  demand(weights, "group_size", 32);
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
  ConfigReader weights = demand_object(group, "weights");
  require_weight_scheme(weights);
  group.refuse_unread();
}

}  // namespace

std::optional<QuantizationConfig> read_quantization_config(ConfigReader& reader) {
  auto quantization = reader.object("quantization_config");
  if (!quantization) {
    return std::nullopt;
  }
  demand(*quantization, "quant_method", "compressed-tensors");
  demand(*quantization, "format", kFormat);
  quantization->require({"quantization_status", ""}, "compressed");
  quantization->require({"kv_cache_scheme", ""}, nullptr);
  quantization->require({"sparsity_config", ""}, nlohmann::json::object());
  quantization->require({"transform_config", ""}, nlohmann::json::object());
  ConfigReader groups = demand_object(*quantization, "config_groups");
  ConfigReader first = demand_object(groups, "group_0");
  require_group(first);
  int index = 1;
  while (auto group = groups.object(fmt::format("group_{}", index))) {
    require_group(*group);
    index += 1;
  }
  groups.refuse_unread();
  constexpr std::string_view kNoMeaning[] = {"global_compression_ratio", "version"};
  quantization->ignore(kNoMeaning);
  QuantizationConfig config{.place = quantization->label(),
                            .ignored = quantization->strings({"ignore", ""})};
  quantization->refuse_unread();
  return config;
}

}  // namespace invar
