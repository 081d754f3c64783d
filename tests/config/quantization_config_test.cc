// The one quantization scheme that is understood, and refusals by name.
#include "config/quantization_config.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"

namespace invar {
namespace {

using nlohmann::json;

json known_scheme() {
  return json::parse(R"({
    "quant_method": "compressed-tensors", "format": "mxfp4-pack-quantized",
    "quantization_status": "compressed", "kv_cache_scheme": null,
    "global_compression_ratio": null, "ignore": ["re:.*self_attn.*"],
    "config_groups": {"group_0": {
      "format": "mxfp4-pack-quantized", "targets": ["Linear"],
      "input_activations": null, "output_activations": null,
      "weights": {"num_bits": 4, "type": "float", "strategy": "group", "group_size": 32,
                  "symmetric": true, "dynamic": false, "actorder": null, "observer": "minmax",
                  "observer_kwargs": {}, "scale_dtype": "torch.uint8", "zp_dtype": null,
                  "block_structure": null}}}})");
}

QuantizationConfig read(const json& scheme) {
  ConfigReader reader("config.json", {{"quantization_config", scheme}});
  const auto config = read_quantization_config(reader);
  reader.refuse_unread();
  return config.value();
}

TEST(QuantizationConfig, MayBeAbsent) {
  ConfigReader reader("config.json", json::object());
  EXPECT_FALSE(read_quantization_config(reader));
}

TEST(QuantizationConfig, KnowsTheMxfp4Scheme) {
  const QuantizationConfig config = read(known_scheme());
  EXPECT_EQ(config.place, "config.json: quantization_config");
  EXPECT_EQ(config.ignored, std::vector<std::string>{"re:.*self_attn.*"});
  json two = known_scheme();
  two["config_groups"]["group_1"] = two["config_groups"]["group_0"];
  read(two);
}

TEST(QuantizationConfig, RefusesOthersByName) {
  const std::string group = "/config_groups/group_0";
  const struct {
    std::string path;
    json value;
    std::string message;
  } cases[] = {
      {"/quant_method", "fp8",
       "key 'quant_method': only \"compressed-tensors\" is supported, found \"fp8\""},
      {"/format", "nvfp4-pack-quantized",
       "key 'format': only \"mxfp4-pack-quantized\" is supported, found \"nvfp4-pack-quantized\""},
      {"/kv_cache_scheme", 8, "key 'kv_cache_scheme': only null is supported, found 8"},
      {group + "/input_activations", 4,
       "config_groups: group_0: key 'input_activations': only null is supported, found 4"},
      {group + "/weights/group_size", 16,
       "config_groups: group_0: weights: key 'group_size': only 32 is supported, found 16"},
  };
  for (const auto& each : cases) {
    json scheme = known_scheme();
    scheme[json::json_pointer(each.path)] = each.value;
    expect_error([&] { read(scheme); }, Code::kUnsupported,
                 "config.json: quantization_config: " + each.message);
  }
}

TEST(QuantizationConfig, NeedsWhatSaysHowTheWeightsArePacked) {
  const struct {
    std::string path;
    std::string message;
  } cases[] = {
      {"/quant_method", "key 'quant_method': expected \"compressed-tensors\", found nothing"},
      {"/format", "key 'format': expected \"mxfp4-pack-quantized\", found nothing"},
      {"/config_groups", "key 'config_groups': expected an object, found nothing"},
      {"/config_groups/group_0", "config_groups: key 'group_0': expected an object, found nothing"},
      {"/config_groups/group_0/weights",
       "config_groups: group_0: key 'weights': expected an object, found nothing"},
      {"/config_groups/group_0/weights/group_size",
       "config_groups: group_0: weights: key 'group_size': expected 32, found nothing"},
      {"/config_groups/group_0/weights/num_bits",
       "config_groups: group_0: weights: key 'num_bits': expected 4, found nothing"},
  };
  for (const auto& each : cases) {
    json scheme = known_scheme();
    scheme[json::json_pointer(each.path)] = nullptr;
    expect_error([&] { read(scheme); }, Code::kBadFile,
                 "config.json: quantization_config: " + each.message);
  }
}

TEST(QuantizationConfig, RefusesUnknownKeys) {
  const struct {
    std::string path;
    std::string label;
  } cases[] = {{"/new_key", ""},
               {"/config_groups/new_key", "config_groups: "},
               {"/config_groups/group_0/new_key", "config_groups: group_0: "},
               {"/config_groups/group_0/weights/new_key", "config_groups: group_0: weights: "}};
  for (const auto& each : cases) {
    json scheme = known_scheme();
    scheme[json::json_pointer(each.path)] = 1;
    expect_error([&] { read(scheme); }, Code::kUnsupported,
                 "config.json: quantization_config: " + each.label +
                     "unknown key(s), which may change the computation: 'new_key'");
  }
}

}  // namespace
}  // namespace invar
