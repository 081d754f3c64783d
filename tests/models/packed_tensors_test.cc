// Packed tensors and the configuration that speaks of them: each refused without the other, and
// where they disagree.
#include "models/packed_tensors.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"
#include "models/renamed_checkpoint.h"

namespace invar {
namespace {

constexpr const char* kFamily = "kimi-k3-mxfp4";
const std::string kExperts =
    "'language_model.model.layers.{1..5}.block_sparse_moe.experts.{0..11}.w1.weight', "
    "'language_model.model.layers.{1..5}.block_sparse_moe.experts.{0..11}.w2.weight', "
    "'language_model.model.layers.{1..5}.block_sparse_moe.experts.{0..11}.w3.weight'";

TEST(PackedTensors, NeedTheirConfiguration) {
  EditedFolder folder(kFamily);
  folder.config["text_config"].erase("quantization_config");
  const std::string config = (folder.save() / "config.json").string();
  expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
               config + ": key 'quantization_config': expected how " + kExperts +
                   " are packed (..._packed, ..._scale), found nothing");
}

TEST(PackedTensors, AreNeededByTheirConfiguration) {
  const nlohmann::json quantization =
      read_json_file(golden_folder(kFamily) / "config.json")["text_config"]["quantization_config"];
  EditedFolder folder("kimi-k3");
  folder.config["text_config"]["quantization_config"] = quantization;
  const std::string config = (folder.save() / "config.json").string();
  expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
               config +
                   ": text_config: quantization_config: expected packed tensors (..._packed, "
                   "..._scale) in " +
                   folder.path().string() + ", found none");
}

TEST(PackedTensors, AreNotOfModulesThatAreListedAsPlain) {
  for (const char* entry :
       {"re:.*block_sparse_moe\\.experts", "re:language_model\\.model\\.layers\\.\\d+\\.block"}) {
    EditedFolder folder(kFamily);
    folder.config["text_config"]["quantization_config"]["ignore"].push_back(entry);
    const std::string config = (folder.save() / "config.json").string();
    expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
                 config +
                     ": text_config: quantization_config: key 'ignore': expected no packed "
                     "tensors for '" +
                     entry + "', found " + kExperts);
  }
  // An expression matches from the beginning of a name, a plain entry the whole of it.
  EditedFolder folder(kFamily);
  nlohmann::json& ignore = folder.config["text_config"]["quantization_config"]["ignore"];
  ignore.push_back("re:block_sparse_moe");
  ignore.push_back("language_model.model.layers.1.block_sparse_moe.experts");
  load_for_test(folder.save());
  ignore.push_back("language_model.model.layers.1.block_sparse_moe.experts.3.w1");
  const std::string config = (folder.save() / "config.json").string();
  expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
               config +
                   ": text_config: quantization_config: key 'ignore': expected no packed tensors "
                   "for 'language_model.model.layers.1.block_sparse_moe.experts.3.w1', found "
                   "'language_model.model.layers.1.block_sparse_moe.experts.3.w1.weight'");
}

TEST(PackedTensors, TheWrapperMaySpeakOfThemToo) {
  EditedFolder folder(kFamily);
  nlohmann::json& text = folder.config["text_config"];
  folder.config["quantization_config"] = text["quantization_config"];
  load_for_test(folder.save());
  folder.config["quantization_config"]["ignore"] = {"lm_head"};
  text["quantization_config"]["ignore"] = {"vision"};
  const std::string config = (folder.save() / "config.json").string();
  expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
               config + ": quantization_config: key 'ignore': expected [\"vision\"] (as " + config +
                   ": text_config: quantization_config states), found [\"lm_head\"]");
  text.erase("quantization_config");
  load_for_test(folder.save());
}

}  // namespace
}  // namespace invar
