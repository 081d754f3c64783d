// Kimi K3's wrapper: the text part is loaded, what belongs to images is passed over.
#include "models/kimi_k3.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"
#include "models/renamed_checkpoint.h"

namespace invar {
namespace {

TEST(KimiK3, ExpertsStayPacked) {
  const auto model = load_for_test(golden_folder("kimi-k3-mxfp4"));
  int packed = 0;
  for (const auto& node : model->program.nodes) {
    if (const auto* experts = dynamic_cast<const OpNode<ExpertLinearArgs>*>(node.get())) {
      EXPECT_EQ(experts->args.attributes.weight->format, WeightFormat::kMXFP4);
      packed += 1;
    }
  }
  EXPECT_EQ(packed, 2 * 5);  // gate with up, and down
}

TEST(KimiK3, RefusesWhatItDoesNotKnow) {
  const struct {
    std::string path;
    nlohmann::json value;
    Code code;
    std::string message;
  } cases[] = {
      {"/text_config/new_key", 1, Code::kUnsupported,
       ": text_config: unknown key(s), which may change the computation: 'new_key'"},
      {"/new_key", 1, Code::kUnsupported,
       ": unknown key(s), which may change the computation: 'new_key'"},
      {"/text_config/quantization_config/format", "nvfp4-pack-quantized", Code::kUnsupported,
       ": text_config: quantization_config: key 'format': only \"mxfp4-pack-quantized\" is "
       "supported, found \"nvfp4-pack-quantized\""},
  };
  for (const auto& each : cases) {
    EditedFolder folder("kimi-k3-mxfp4");
    folder.config[nlohmann::json::json_pointer(each.path)] = each.value;
    const std::string config = (folder.save() / "config.json").string();
    expect_error([&] { load_for_test(folder.path()); }, each.code, config + each.message);
  }
}

TEST(KimiK3, RefusesAWrapperThatContradictsTheText) {
  EditedFolder folder("kimi-k3");
  folder.config["tie_word_embeddings"] = true;
  const std::string config = (folder.save() / "config.json").string();
  expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
               config + ": key 'tie_word_embeddings': expected false (as " + config +
                   ": text_config: key 'tie_word_embeddings' states), found true");
}

TEST(KimiK3, RefusesTensorsOutsideTextAndImages) {
  std::vector<SafetensorsSpec> tensors = golden_tensors("kimi-k3");
  rename_all(tensors, "mm_projector.proj.0", "audio_tower.proj.0");
  CheckpointFolder folder("kimi-k3", tensors);
  const std::string path = folder.save().string();
  expect_error([&] { load_for_test(path); }, Code::kBadFile,
               path + ": tensor 'audio_tower.proj.0.weight' [64, 64]: not used by this family");
}

// Heads' decays are stored with zeros behind them; anything else there means another layout.
TEST(KimiK3, RefusesDecaysWithNumbersBehindThem) {
  std::vector<SafetensorsSpec> tensors = golden_tensors("kimi-k3");
  for (SafetensorsSpec& tensor : tensors) {
    if (tensor.name == "language_model.model.layers.0.self_attn.A_log") {
      tensor.data.replace(tensor.data.size() - 4, 4, f32_bytes({1}));
    }
  }
  CheckpointFolder folder("kimi-k3", tensors);
  const std::string path = folder.save().string();
  expect_error([&] { load_for_test(path); }, Code::kBadFile,
               path +
                   ": tensor 'language_model.model.layers.0.self_attn.A_log': element 31: "
                   "expected 0 behind 4 values, found 1");
}

}  // namespace
}  // namespace invar
