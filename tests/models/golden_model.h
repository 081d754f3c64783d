// Test support: the golden checkpoints as files that a test may change: a copy of the folder with
// an edited configuration, or the same weights as a GGUF file.
#pragma once

#include <array>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backend/registry.h"
#include "formats/checkpoint.h"
#include "formats/gguf_writer.h"
#include "formats/json.h"
#include "formats/temporary_directory.h"
#include "models/model.h"
#include "program/executor.h"
#include "weights/tensor_bytes.h"

namespace invar {

inline std::filesystem::path golden_folder(const std::string& family) {
  return std::filesystem::path(INVAR_SOURCE_DIR) / "tests/golden" / family;
}

// The tensors of a golden checkpoint.
inline std::vector<SafetensorsSpec> golden_tensors(const std::string& family) {
  std::vector<SafetensorsSpec> tensors;
  const Checkpoint checkpoint = Checkpoint::open(golden_folder(family));
  for (const CheckpointTensor& tensor : checkpoint.tensors()) {
    const TensorEntry& entry = *tensor.entry;
    tensors.push_back(
        {.name = std::string(entry.name),
         .dtype = std::string(safetensors_type_name(entry.type)),
         .shape = entry.shape,
         .data = std::string(reinterpret_cast<const char*>(entry.data.data()), entry.data.size())});
  }
  return tensors;
}

// Replaces tensors PREFIX.experts.0.WHAT.weight, .1., ... by one PREFIX.experts.WHAT of all
// experts.
inline std::vector<SafetensorsSpec> with_experts_together(std::vector<SafetensorsSpec> tensors) {
  std::map<std::string, std::map<int, SafetensorsSpec>> experts;  // by name together, by expert
  std::vector<SafetensorsSpec> result;
  for (SafetensorsSpec& tensor : tensors) {
    const size_t at = tensor.name.find(".experts.");
    if (at == std::string::npos) {
      result.push_back(std::move(tensor));
      continue;
    }
    const size_t index = at + std::string(".experts.").size();
    const size_t dot = tensor.name.find('.', index);
    const std::string what = tensor.name.substr(dot + 1, tensor.name.rfind('.') - dot - 1);
    const int expert = std::stoi(tensor.name.substr(index, dot - index));
    experts[tensor.name.substr(0, index) + what][expert] = std::move(tensor);
  }
  for (const auto& [name, each] : experts) {
    SafetensorsSpec together = each.at(0);
    together.name = name;
    together.shape.insert(together.shape.begin(), std::ssize(each));
    together.data.clear();
    for (const auto& [expert, tensor] : each) {
      together.data += tensor.data;
    }
    result.push_back(together);
  }
  return result;
}

// A copy of a golden folder; `config` is written by save().
class EditedFolder {
 public:
  explicit EditedFolder(const std::string& family)
      : config(read_json_file(golden_folder(family) / "config.json")) {
    std::filesystem::copy_file(golden_folder(family) / "model.safetensors",
                               directory_.path() / "model.safetensors");
  }
  const std::filesystem::path& path() const { return directory_.path(); }
  const std::filesystem::path& save() {
    directory_.write("config.json", config.dump());
    return path();
  }
  void write(const std::string& name, const std::string& text) { directory_.write(name, text); }

  nlohmann::json config;

 private:
  TemporaryDirectory directory_;
};

struct GoldenGgufOptions {
  bool f32_matrices = false;  // else as stored: BF16
  bool f32_up = false;        // the up matrices alone
  bool paired_rope = false;   // rows of q and k with rotary pairs side by side
  std::vector<float> rope_factors = {};
  uint32_t end_token = 2;
};

namespace golden_gguf {

inline std::string name_of(std::string name) {
  static const std::vector<std::array<std::string, 2>> kParts = {
      {"model.layers.", "blk."},
      {"model.embed_tokens", "token_embd"},
      {"model.norm", "output_norm"},
      {"lm_head", "output"},
      {"input_layernorm", "attn_norm"},
      {"post_attention_layernorm", "ffn_norm"},
      {"self_attn.q_proj", "attn_q"},
      {"self_attn.k_proj", "attn_k"},
      {"self_attn.v_proj", "attn_v"},
      {"self_attn.o_proj", "attn_output"},
      {"self_attn.q_norm", "attn_q_norm"},
      {"self_attn.k_norm", "attn_k_norm"},
      {"mlp.gate_proj", "ffn_gate"},
      {"mlp.up_proj", "ffn_up"},
      {"mlp.down_proj", "ffn_down"},
      {"mlp.gate.", "ffn_gate_inp."},
      {"mlp.experts.gate_proj", "ffn_gate_exps.weight"},
      {"mlp.experts.up_proj", "ffn_up_exps.weight"},
      {"mlp.experts.down_proj", "ffn_down_exps.weight"},
      {"mlp.shared_expert.gate_proj", "ffn_gate_shexp"},
      {"mlp.shared_expert.up_proj", "ffn_up_shexp"},
      {"mlp.shared_expert.down_proj", "ffn_down_shexp"},
      {"mlp.shared_expert_gate", "ffn_gate_inp_shexp"}};
  for (const auto& [hf, gguf] : kParts) {
    if (const size_t at = name.find(hf); at != std::string::npos) {
      name.replace(at, hf.size(), gguf);
    }
  }
  return name;
}

// Rows reordered so that the pairs (i, half + i) of every head lie side by side.
inline std::string paired(const std::string& data, int64_t rows, int64_t head_rows) {
  const size_t row_bytes = data.size() / rows;
  std::string result;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t in_head = row % head_rows;
    const int64_t from = row - in_head + in_head % 2 * (head_rows / 2) + in_head / 2;
    result += data.substr(from * row_bytes, row_bytes);
  }
  return result;
}

inline std::string as_f32(const std::string& bf16) {
  std::string result;
  for (size_t at = 0; at < bf16.size(); at += 2) {
    uint16_t half = 0;
    std::memcpy(&half, bf16.data() + at, 2);
    result += number_bytes(bf16_to_f32(half));
  }
  return result;
}

inline void add_metadata(GgufWriter& writer, const nlohmann::json& config,
                         const GoldenGgufOptions& options = {}) {
  std::string architecture = config["model_type"];
  std::erase(architecture, '_');
  writer.add_string("general.architecture", architecture);
  const auto number = [&](const std::string& key, const std::string& hf) {
    if (config.contains(hf)) {
      writer.add<uint32_t>(architecture + "." + key, config[hf].get<uint32_t>());
    }
  };
  number("embedding_length", "hidden_size");
  number("feed_forward_length", "intermediate_size");
  number("block_count", "num_hidden_layers");
  number("attention.head_count", "num_attention_heads");
  number("attention.head_count_kv", "num_key_value_heads");
  number("attention.key_length", "head_dim");
  number("attention.value_length", "head_dim");
  number("context_length", "max_position_embeddings");
  number("expert_count", config.contains("num_experts") ? "num_experts" : "num_local_experts");
  number("expert_used_count", "num_experts_per_tok");
  number("expert_feed_forward_length", "moe_intermediate_size");
  number("expert_shared_feed_forward_length", "shared_expert_intermediate_size");
  writer.add<float>(architecture + ".attention.layer_norm_rms_epsilon",
                    config["rms_norm_eps"].get<float>());
  writer.add<float>(architecture + ".rope.freq_base",
                    config["rope_parameters"]["rope_theta"].get<float>());
  writer.add<uint32_t>("tokenizer.ggml.eos_token_id", options.end_token);
}

}  // namespace golden_gguf

inline GgufWriter golden_as_gguf(const std::string& family, const GoldenGgufOptions& options) {
  const nlohmann::json config = read_json_file(golden_folder(family) / "config.json");
  const int64_t head_dim =
      config.contains("head_dim")
          ? config["head_dim"].get<int64_t>()
          : config["hidden_size"].get<int64_t>() / config["num_attention_heads"].get<int64_t>();
  GgufWriter writer;
  golden_gguf::add_metadata(writer, config, options);
  for (const SafetensorsSpec& tensor : with_experts_together(golden_tensors(family))) {
    INVAR_CHECK(tensor.dtype == "BF16");
    std::string data = tensor.data;
    const std::string name = golden_gguf::name_of(tensor.name);
    const bool rotated =
        name.find("attn_q.") != std::string::npos || name.find("attn_k.") != std::string::npos;
    if (options.paired_rope && rotated) {
      data = golden_gguf::paired(data, tensor.shape[0], head_dim);
    }
    // Vectors are F32 in such files.
    const bool f32 = options.f32_matrices || tensor.shape.size() == 1 ||
                     (options.f32_up && name.find("ffn_up") != std::string::npos);
    writer.add_tensor({.name = name,
                       .type = f32 ? GgmlType::kF32 : GgmlType::kBF16,
                       .shape = tensor.shape,
                       .data = f32 ? golden_gguf::as_f32(data) : data});
  }
  if (!options.rope_factors.empty()) {
    writer.add_tensor(
        {.name = "rope_freqs.weight",
         .type = GgmlType::kF32,
         .shape = {std::ssize(options.rope_factors)},
         .data = std::string(reinterpret_cast<const char*>(options.rope_factors.data()),
                             options.rope_factors.size() * sizeof(float))});
  }
  return writer;
}

inline std::unique_ptr<const Model> load_for_test(const std::filesystem::path& path,
                                                  const ModelOptions& options = {}) {
  ThreadTeam team(2);
  return load_model(path, options, team, {});
}

// The logits after each of 100 fixed tokens, computed in one pass.
inline std::vector<float> logits_of(const Model& model) {
  constexpr int64_t kRows = 100;
  const Program& program = model.program;
  PassTables tables(
      {.rows_max = kRows, .segments_max = 1, .logit_rows_max = kRows, .kv_blocks_max = 2});
  std::vector<int32_t> tokens;
  for (int64_t i = 0; i < kRows; ++i) {
    tokens.push_back(static_cast<int32_t>((i * 37 + 5) % program.output.columns));
  }
  const int32_t kv_blocks[] = {0, 1};
  tables.add(
      {.token_ids = tokens, .first_position = 0, .kv_blocks = kv_blocks, .logit_rows = kRows});
  std::vector<std::vector<std::byte>> memory;
  std::vector<TensorView> state;
  for (const StateBufferInfo& info : program.state_buffers) {
    memory.emplace_back(2 * info.bytes_per_unit() + 64);
    auto* begin = reinterpret_cast<std::byte*>(
        (reinterpret_cast<uintptr_t>(memory.back().data()) + 63) / 64 * 64);
    state.push_back(dense_view(begin, info.dtype, 2, info.columns));
  }
  ThreadTeam team(1);
  const std::unique_ptr<Backend> backend = make_cpu_backend("");
  Executor executor({.program = &program,
                     .backend = backend.get(),
                     .team = &team,
                     .state_buffers = state,
                     .tables = &tables});
  executor.run();
  const auto* logits = executor.logits().row<float>(0);
  return {logits, logits + kRows * program.output.columns};
}

}  // namespace invar
