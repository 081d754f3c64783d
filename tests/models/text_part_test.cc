// What holds for every family whose text part is wrapped: what may stand inside or outside, and
// what is refused.
#include "models/text_part.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"
#include "models/renamed_checkpoint.h"

namespace invar {
namespace {

constexpr const char* kFamily = "qwen3.5-vl";

TEST(TextPart, TiedHeadsAndEndTokensMayStandOutside) {
  std::vector<SafetensorsSpec> tensors = golden_tensors(kFamily);
  std::erase_if(tensors, [](const auto& tensor) { return tensor.name == "lm_head.weight"; });
  CheckpointFolder folder(kFamily, tensors);
  nlohmann::json& text = folder.config["text_config"];
  folder.config["tie_word_embeddings"] = true;
  folder.config["eos_token_id"] = {7, 8};
  for (const bool inside_too : {false, true}) {
    text.erase("tie_word_embeddings");
    text.erase("eos_token_id");
    if (inside_too) {
      text["tie_word_embeddings"] = true;
      text["eos_token_id"] = 9;
    }
    const auto model = load_for_test(folder.save());
    EXPECT_TRUE(model->config.tie_word_embeddings);
    EXPECT_EQ(model->config.eos_token_ids,
              inside_too ? (std::vector<int64_t>{9, 7, 8}) : (std::vector<int64_t>{7, 8}));
  }
}

TEST(TextPart, RefusesWhatItDoesNotKnow) {
  const struct {
    std::string path;
    nlohmann::json value;
    Code code;
    std::string message;
  } cases[] = {
      {"/text_config", nullptr, Code::kBadFile,
       ": key 'text_config': expected an object, found nothing"},
      {"/text_config/new_key", 1, Code::kUnsupported,
       ": text_config: unknown key(s), which may change the computation: 'new_key'"},
      {"/new_key", 1, Code::kUnsupported,
       ": unknown key(s), which may change the computation: 'new_key'"},
      {"/tie_word_embeddings", 1, Code::kBadFile,
       ": key 'tie_word_embeddings': expected true or false, found 1"},
      {"/eos_token_id", 256, Code::kBadFile,
       ": key 'eos_token_id': expected token ids from 0 to 255, found 256"},
  };
  for (const auto& each : cases) {
    EditedFolder folder(kFamily);
    folder.config[nlohmann::json::json_pointer(each.path)] = each.value;
    const std::string config = (folder.save() / "config.json").string();
    expect_error([&] { load_for_test(folder.path()); }, each.code, config + each.message);
  }
}

TEST(TextPart, RefusesTwoWordsOnTheHead) {
  EditedFolder folder(kFamily);
  folder.config["tie_word_embeddings"] = true;
  const std::string config = (folder.save() / "config.json").string();
  expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
               config + ": key 'tie_word_embeddings': expected false (as " + config +
                   ": text_config: key 'tie_word_embeddings' states), found true");
}

TEST(TextPart, RefusesTensorsOfPartsThatNobodyKnows) {
  std::vector<SafetensorsSpec> tensors = golden_tensors(kFamily);
  rename_all(tensors, "model.visual.pos_embed", "model.audio.pos_embed");
  CheckpointFolder folder(kFamily, tensors);
  const std::string path = folder.save().string();
  expect_error([&] { load_for_test(path); }, Code::kBadFile,
               path + ": tensor 'model.audio.pos_embed.weight' [16, 32]: not used by this family");
}

TEST(TextPart, MissingTensorsHaveTheirFullNames) {
  std::vector<SafetensorsSpec> tensors = golden_tensors(kFamily);
  std::erase_if(tensors, [](const auto& tensor) {
    return tensor.name == "model.language_model.norm.weight" || tensor.name == "lm_head.weight";
  });
  CheckpointFolder folder(kFamily, tensors);
  const std::string path = folder.save().string();
  expect_error([&] { load_for_test(path); }, Code::kBadFile,
               path +
                   ": tensor 'model.language_model.norm.weight': expected [64], found nothing; "
                   "tensor 'lm_head.weight': expected [256, 64], found nothing");
}

TEST(TextPart, RefusesTheTextOfAnotherFamily) {
  const struct {
    std::string family;
    std::string expected;
    std::string found;
  } cases[] = {{"qwen3.5-vl", "'qwen3_5_text' (in a 'qwen3_5')", "qwen3_5_moe_text"},
               {"kimi-k3", "'kimi_linear' (in a 'kimi_k3')", "llama"}};
  for (const auto& each : cases) {
    EditedFolder folder(each.family);
    folder.config["text_config"]["model_type"] = each.found;
    const std::string config = (folder.save() / "config.json").string();
    expect_error([&] { load_for_test(folder.path()); }, Code::kUnsupported,
                 fmt::format("{}: text_config: key 'model_type': expected {}, found '{}'", config,
                             each.expected, each.found));
  }
}

}  // namespace
}  // namespace invar
