// Kimi checkpoints under the other names that makers publish give the same logits.
#include <gtest/gtest.h>

#include "engine/verify.h"
#include "models/renamed_checkpoint.h"

namespace invar {
namespace {

void expect_golden_logits(const std::string& family, const std::filesystem::path& folder) {
  ThreadTeam team(2);
  const std::unique_ptr<Backend> backend = make_cpu_backend("");
  const std::unique_ptr<const Model> model = load_model(folder, {}, team, {});
  Runner runner({.program = &model->program, .backend = backend.get(), .team = &team},
                {.context_positions = model->context, .logit_rows_max = 512});
  const VerifyResult result = verify(runner, read_golden(golden_folder(family)));
  EXPECT_TRUE(passes(result, DType::kF32)) << describe(family, result, DType::kF32);
}

TEST(KimiSpellings, DenseLayersUnderMlp) {
  std::vector<SafetensorsSpec> tensors = golden_tensors("kimi-linear");
  rename_all(tensors, "layers.0.block_sparse_moe.", "layers.0.mlp.");
  CheckpointFolder folder("kimi-linear", tensors);
  expect_golden_logits("kimi-linear", folder.save());
}

TEST(KimiSpellings, ExpertsOfALayerInTwoTensors) {
  // [experts, 2 * 16, 64], gate first, and [experts, 64, 16].
  std::vector<SafetensorsSpec> tensors;
  std::map<std::string, std::string> by_name;
  for (const SafetensorsSpec& tensor : golden_tensors("kimi-linear")) {
    by_name[tensor.name] = tensor.data;
    if (tensor.name.find(".experts.") == std::string::npos) {
      tensors.push_back(tensor);
    }
  }
  for (int layer = 1; layer < 4; ++layer) {
    const std::string prefix = fmt::format("model.layers.{}.block_sparse_moe.experts.", layer);
    SafetensorsSpec gate_up{prefix + "gate_up_proj", "BF16", {8, 32, 64}, ""};
    SafetensorsSpec down{prefix + "down_proj", "BF16", {8, 64, 16}, ""};
    for (int expert = 0; expert < 8; ++expert) {
      gate_up.data += by_name.at(fmt::format("{}{}.w1.weight", prefix, expert)) +
                      by_name.at(fmt::format("{}{}.w3.weight", prefix, expert));
      down.data += by_name.at(fmt::format("{}{}.w2.weight", prefix, expert));
    }
    tensors.push_back(gate_up);
    tensors.push_back(down);
  }
  CheckpointFolder folder("kimi-linear", tensors);
  expect_golden_logits("kimi-linear", folder.save());
}

TEST(KimiSpellings, HeadWithoutThePrefix) {
  std::vector<SafetensorsSpec> tensors = golden_tensors("kimi-k3");
  rename_all(tensors, "language_model.lm_head", "lm_head");
  CheckpointFolder folder("kimi-k3", tensors);
  expect_golden_logits("kimi-k3", folder.save());
}

}  // namespace
}  // namespace invar
