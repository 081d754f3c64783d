// Test support: the golden checkpoints of hybrid families as GGUF files with the published names of
// their metadata and tensors, and the changes that published files make to the values.
#pragma once

#include <cmath>

#include "core/math.h"
#include "models/golden_model.h"

namespace invar {
namespace golden_gguf {

inline std::vector<float> values_of(const SafetensorsSpec& tensor) {
  const std::string f32 = tensor.dtype == "BF16" ? as_f32(tensor.data) : tensor.data;
  std::vector<float> values(f32.size() / sizeof(float));
  std::memcpy(values.data(), f32.data(), f32.size());
  return values;
}

inline std::string f32_bytes_of(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

// Value heads of `unit` elements each, from the order in which neighbours share a key head to the
// order in which the key heads repeat.
struct TiledHeads {
  int64_t key_heads = 0;
  int64_t value_heads = 0;

  void reorder(float* values, int64_t unit) const {
    const std::vector<float> grouped(values, values + value_heads * unit);
    for (int64_t head = 0; head < value_heads; ++head) {
      const int64_t from = head % key_heads * (value_heads / key_heads) + head / key_heads;
      std::copy_n(grouped.begin() + from * unit, unit, values + head * unit);
    }
  }
};

class Qwen35Gguf {
 public:
  // `draft_layers` are counted; their tensors are the caller's.
  explicit Qwen35Gguf(int64_t draft_layers = 0) : Qwen35Gguf("qwen3.5", "qwen35", draft_layers) {}
  Qwen35Gguf(const std::string& family, const std::string& architecture, int64_t draft_layers)
      : config_(read_json_file(golden_folder(family) / "config.json")) {
    config_["model_type"] = architecture;
    config_["num_hidden_layers"] = config_["num_hidden_layers"].get<int64_t>() + draft_layers;
    heads_ = {.key_heads = config_["linear_num_key_heads"],
              .value_heads = config_["linear_num_value_heads"]};
    add_metadata(writer, config_);
    const auto number = [&](const std::string& key, int64_t value) {
      writer.add<uint32_t>(architecture + "." + key, static_cast<uint32_t>(value));
    };
    number("ssm.conv_kernel", config_["linear_conv_kernel_dim"]);
    number("ssm.state_size", config_["linear_key_head_dim"]);
    number("ssm.group_count", heads_.key_heads);
    number("ssm.time_step_rank", heads_.value_heads);
    number("ssm.inner_size", value_dim() * heads_.value_heads);
    number("rope.dimension_count", config_["head_dim"].get<int64_t>() / 4);
    const int32_t sections[] = {2, 1, 1, 0};
    writer.add_array<int32_t>(architecture + ".rope.dimension_sections", sections);
    for (const SafetensorsSpec& tensor : with_experts_together(golden_tensors(family))) {
      add(tensor);
    }
  }

  GgufWriter writer;

 private:
  int64_t value_dim() const { return config_["linear_value_head_dim"]; }

  static std::string published_name(std::string name) {
    static const std::vector<std::array<std::string, 2>> kParts = {
        {"post_attention_layernorm", "post_attention_norm"},
        {"linear_attn.in_proj_qkv", "attn_qkv"},
        {"linear_attn.in_proj_z", "attn_gate"},
        {"linear_attn.in_proj_b", "ssm_beta"},
        {"linear_attn.in_proj_a", "ssm_alpha"},
        {"linear_attn.conv1d", "ssm_conv1d"},
        {"linear_attn.A_log", "ssm_a"},
        {"linear_attn.dt_bias", "ssm_dt.bias"},
        {"linear_attn.norm", "ssm_norm"},
        {"linear_attn.out_proj", "ssm_out"}};
    for (const auto& [hf, gguf] : kParts) {
      if (const size_t at = name.find(hf); at != std::string::npos) {
        name.replace(at, hf.size(), gguf);
      }
    }
    return name_of(std::move(name));
  }

  void add(const SafetensorsSpec& tensor) {
    const std::string& hf_name = tensor.name;
    std::vector<float> values = values_of(tensor);
    std::vector<int64_t> shape = tensor.shape;
    const auto is = [&](const char* part) { return hf_name.find(part) != std::string::npos; };
    if (is("norm.weight") && !is("linear_attn.norm")) {
      for (float& value : values) {
        value = value + 1.0f;
      }
    } else if (is("A_log")) {
      for (float& value : values) {
        value = 0.0f - exp_f32(value);
      }
    }
    if (is("in_proj_qkv") || is("conv1d")) {
      const int64_t row = std::ssize(values) / shape[0];
      const int64_t value_rows = value_dim() * heads_.value_heads;
      heads_.reorder(values.data() + (shape[0] - value_rows) * row, value_dim() * row);
    } else if (is("in_proj_") || is("A_log") || is("dt_bias")) {
      heads_.reorder(values.data(), std::ssize(values) / heads_.value_heads);
    } else if (is("linear_attn.out_proj")) {
      for (int64_t row = 0; row < shape[0]; ++row) {
        heads_.reorder(values.data() + row * shape[1], value_dim());
      }
    }
    std::erase(shape, 1);  // of the convolution, and the row that gates the shared expert
    writer.add_tensor({.name = published_name(hf_name),
                       .type = GgmlType::kF32,
                       .shape = shape,
                       .data = f32_bytes_of(values)});
  }

  nlohmann::json config_;
  TiledHeads heads_;
};

inline std::string lfm2_name(std::string name) {
  static const std::vector<std::array<std::string, 2>> kParts = {
      {"model.embedding_norm", "token_embd_norm"},
      {"operator_norm", "attn_norm"},
      {"conv.in_proj", "shortconv.in_proj"},
      {"conv.conv", "shortconv.conv"},
      {"conv.out_proj", "shortconv.out_proj"},
      {"self_attn.out_proj", "attn_output"},
      {"self_attn.q_layernorm", "attn_q_norm"},
      {"self_attn.k_layernorm", "attn_k_norm"},
      {"feed_forward.w1", "ffn_gate"},
      {"feed_forward.w3", "ffn_up"},
      {"feed_forward.w2", "ffn_down"}};
  for (const auto& [hf, gguf] : kParts) {
    if (const size_t at = name.find(hf); at != std::string::npos) {
      name.replace(at, hf.size(), gguf);
    }
  }
  return name_of(std::move(name));
}

inline GgufWriter lfm2_as_gguf() {
  nlohmann::json config = read_json_file(golden_folder("lfm2") / "config.json");
  config["rms_norm_eps"] = config["norm_eps"];
  std::vector<int32_t> kv_heads;  // none in the layers that convolve
  for (const std::string type : config["layer_types"]) {
    kv_heads.push_back(type == "conv" ? 0 : config["num_key_value_heads"].get<int32_t>());
  }
  config.erase("num_key_value_heads");
  GgufWriter writer;
  add_metadata(writer, config);
  writer.add_array<int32_t>("lfm2.attention.head_count_kv", kv_heads);
  writer.add<uint32_t>("lfm2.shortconv.l_cache", config["conv_L_cache"].get<uint32_t>());
  writer.add<uint32_t>("lfm2.vocab_size", config["vocab_size"].get<uint32_t>());
  for (const SafetensorsSpec& tensor : golden_tensors("lfm2")) {
    std::vector<int64_t> shape = tensor.shape;
    std::erase(shape, 1);  // of the convolution
    writer.add_tensor({.name = lfm2_name(tensor.name),
                       .type = GgmlType::kF32,
                       .shape = shape,
                       .data = f32_bytes_of(values_of(tensor))});
  }
  return writer;
}

}  // namespace golden_gguf
}  // namespace invar
