// Qwen3.5 with experts as its makers publish it: wrapped, the experts of a layer in two tensors,
// with an image encoder and a layer that guesses further tokens. The logits are those of the text
// part alone.
#include <gtest/gtest.h>

#include "engine/verify.h"
#include "models/renamed_checkpoint.h"

namespace invar {
namespace {

constexpr int kLayers = 4;
constexpr int kExperts = 8;

std::vector<SafetensorsSpec> published_tensors() {
  std::vector<SafetensorsSpec> tensors;
  std::map<std::string, std::string> by_name;
  for (SafetensorsSpec tensor : golden_tensors("qwen3.5-moe")) {
    by_name[tensor.name] = tensor.data;
    if (tensor.name.find(".experts.") == std::string::npos) {
      tensors.push_back(std::move(tensor));
    }
  }
  for (int layer = 0; layer < kLayers; ++layer) {
    const std::string prefix = fmt::format("model.layers.{}.mlp.experts.", layer);
    SafetensorsSpec gate_up{prefix + "gate_up_proj", "BF16", {kExperts, 32, 64}, ""};
    SafetensorsSpec down{prefix + "down_proj", "BF16", {kExperts, 64, 16}, ""};
    for (int expert = 0; expert < kExperts; ++expert) {
      gate_up.data += by_name.at(fmt::format("{}{}.gate_proj.weight", prefix, expert)) +
                      by_name.at(fmt::format("{}{}.up_proj.weight", prefix, expert));
      down.data += by_name.at(fmt::format("{}{}.down_proj.weight", prefix, expert));
    }
    tensors.push_back(gate_up);
    tensors.push_back(down);
  }
  rename_all(tensors, "model.", "model.language_model.");
  for (const char* name : {"model.visual.merger.norm.weight", "mtp.norm.weight"}) {
    tensors.push_back({name, "BF16", {4}, std::string(8, '\0')});
  }
  return tensors;
}

TEST(Qwen35Published, WithExperts) {
  CheckpointFolder folder("qwen3.5-moe", published_tensors());
  nlohmann::json text = folder.config;
  text["mtp_num_hidden_layers"] = 1;
  text["rope_parameters"]["mrope_interleaved"] = true;
  text["rope_parameters"]["mrope_section"] = {2, 1, 1};
  folder.config = {{"model_type", "qwen3_5_moe"},
                   {"text_config", text},
                   {"tie_word_embeddings", false},
                   {"vision_config", {{"depth", 1}}},
                   {"image_token_id", 248056}};
  ThreadTeam team(available_processors());
  const std::unique_ptr<Backend> backend = make_cpu_backend("");
  const std::unique_ptr<const Model> model = load_model(folder.save(), {}, team, {});
  EXPECT_EQ(model->family, "qwen3_5_moe");
  Runner runner({.program = &model->program, .backend = backend.get(), .team = &team},
                {.context_positions = model->context, .logit_rows_max = 512});
  const VerifyResult result = verify(runner, read_golden(golden_folder("qwen3.5-moe")));
  EXPECT_TRUE(passes(result, DType::kF32)) << describe("qwen3.5-moe", result, DType::kF32);
  EXPECT_LT(result.rel_l2, 1e-5);
}

}  // namespace
}  // namespace invar
