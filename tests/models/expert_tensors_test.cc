// The same experts under every spelling give the same bytes; what does not fit is refused.
#include "models/expert_tensors.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"
#include "models/golden_model.h"
#include "weights/small_gguf.h"

namespace invar {
namespace {

constexpr ExpertNames kNames{.gate = "layers.{}.experts.{}.w1.weight",
                             .up = "layers.{}.experts.{}.w3.weight",
                             .down = "layers.{}.experts.{}.w2.weight",
                             .fused_gate_up = "layers.{}.experts.gate_up",
                             .fused_down = "layers.{}.experts.down"};

// experts.gate_proj and experts.up_proj [experts, width, columns] as gate_up_proj, gate first in
// each expert.
std::vector<SafetensorsSpec> with_gate_up_fused(std::vector<SafetensorsSpec> tensors) {
  std::map<std::string, SafetensorsSpec> fused;
  for (const SafetensorsSpec& gate : tensors) {
    const size_t at = gate.name.find(".experts.gate_proj");
    if (at == std::string::npos) {
      continue;
    }
    const std::string prefix = gate.name.substr(0, at);
    const auto up = std::find_if(tensors.begin(), tensors.end(), [&](const SafetensorsSpec& each) {
      return each.name == prefix + ".experts.up_proj";
    });
    SafetensorsSpec both = gate;
    both.name = prefix + ".experts.gate_up_proj";
    both.shape[1] *= 2;
    both.data.clear();
    const size_t expert_bytes = gate.data.size() / gate.shape[0];
    for (int64_t expert = 0; expert < gate.shape[0]; ++expert) {
      both.data += gate.data.substr(expert * expert_bytes, expert_bytes) +
                   up->data.substr(expert * expert_bytes, expert_bytes);
    }
    fused[prefix] = both;
  }
  std::erase_if(tensors, [](const SafetensorsSpec& each) {
    return each.name.ends_with(".experts.gate_proj") || each.name.ends_with(".experts.up_proj");
  });
  for (const auto& [prefix, tensor] : fused) {
    tensors.push_back(tensor);
  }
  return tensors;
}

TEST(ExpertTensors, SpellingsGiveEqualBytes) {
  const std::vector<float> expected = logits_of(*load_for_test(golden_folder("qwen3-moe")));
  EditedFolder fused("qwen3-moe");
  write_safetensors(fused.save(),
                    with_gate_up_fused(with_experts_together(golden_tensors("qwen3-moe"))));
  EXPECT_EQ(logits_of(*load_for_test(fused.path())), expected);
}

TEST(ExpertTensors, BothFormatsGiveEqualBytes) {
  const ModelOptions options{.dtype = DType::kF32, .kv_dtype = DType::kF32};
  const std::vector<float> expected =
      logits_of(*load_for_test(golden_folder("qwen3-moe"), options));
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory.path() / "m.gguf";
  // Gate and up of one type are one product, of two types two.
  for (const bool f32_up : {false, true}) {
    golden_as_gguf("qwen3-moe", {.f32_up = f32_up}).write(path);
    const auto model = load_for_test(path, options);
    EXPECT_EQ(logits_of(*model), expected) << f32_up;
    int64_t products = 0;
    for (const auto& node : model->program.nodes) {
      products += node->name() == std::string("expert_linear") ? 1 : 0;
    }
    EXPECT_EQ(products, f32_up ? 4 * 3 : 4 * 2);
  }
}

// A loader over a GGUF file, without a model around it.
struct Loader {
  explicit Loader(WeightStore& store)
      : input{.config = reader, .weights = store, .policy = {}, .context = 0} {}

  ConfigReader reader{"config.json", nlohmann::json::object()};
  FamilyInput input;
  FamilyOutput output;
  DecoderTensors tensors{input, output};
};

TEST(ExpertTensors, QuantizedExpertsStayPacked) {
  SmallGguf gguf;
  const std::string group = f16_bytes({0.5f}) + std::string(32, '\1');
  const auto groups = [&](int64_t count) {
    std::string data;
    for (int64_t i = 0; i < count; ++i) {
      data += group;
    }
    return data;
  };
  gguf.add("blk.3.ffn_gate_exps.weight", GgmlType::kQ8_0, {2, 32, 64}, groups(2 * 32 * 2));
  gguf.add("blk.3.ffn_up_exps.weight", GgmlType::kQ8_0, {2, 32, 64}, groups(2 * 32 * 2));
  gguf.add("blk.3.ffn_down_exps.weight", GgmlType::kQ8_0, {2, 64, 32}, groups(2 * 64));
  Loader loader(gguf.store());
  const Experts experts =
      load_experts(loader.tensors, kNames, 3, {.experts = 2, .width = 32, .columns = 64});
  ThreadTeam team(1);
  loader.tensors.store().finish(team, {});
  EXPECT_EQ(experts.count, 2);
  ASSERT_EQ(experts.gate_up.parts.size(), 1u);
  EXPECT_EQ(experts.gate_up.parts[0].matrix->format, WeightFormat::kQ8_0);
  EXPECT_EQ(experts.gate_up.parts[0].matrix->rows, 2 * 2 * 32);
  EXPECT_EQ(experts.gate_up.parts[0].widths, (std::vector<int64_t>{32, 32}));
  EXPECT_EQ(experts.down.matrix->rows, 2 * 64);
  EXPECT_EQ(unpacked(*experts.down.matrix), std::vector<float>(2 * 64 * 32, 0.5f));
}

TEST(ExpertTensors, RefusesWidthsThatSplitAPanel) {
  SmallGguf gguf;
  Loader loader(gguf.store());
  expect_error(
      [&] { load_experts(loader.tensors, kNames, 3, {.experts = 2, .width = 24, .columns = 64}); },
      Code::kUnsupported,
      "m.gguf: layer 3: experts: expected widths that are multiples of 16, found 24 and 64");
}

TEST(ExpertTensors, NamesWhatIsMissing) {
  EditedFolder folder("qwen3-moe");
  std::vector<SafetensorsSpec> tensors = golden_tensors("qwen3-moe");
  const auto lost = [](const SafetensorsSpec& each) {
    return each.name == "model.layers.1.mlp.experts.5.up_proj.weight" ||
           each.name == "model.layers.2.mlp.gate.weight";
  };
  std::erase_if(tensors, lost);
  tensors.push_back({.name = "model.layers.1.mlp.experts.8.up_proj.weight",
                     .dtype = "BF16",
                     .shape = {1},
                     .data = bf16_bytes({1})});
  write_safetensors(folder.save(), tensors);
  expect_error(
      [&] { load_for_test(folder.path()); }, Code::kBadFile,
      folder.path().string() +
          ": tensor 'model.layers.1.mlp.experts.5.up_proj.weight': expected [16, 64], "
          "found nothing; tensor 'model.layers.2.mlp.gate.weight': expected [8, 64], found "
          "nothing; tensor 'model.layers.1.mlp.experts.8.up_proj.weight' [1]: not used by "
          "this family");
}

}  // namespace
}  // namespace invar
