// What makes an lfm2: which layers are convolutions, from either spelling, and what is refused.
#include "models/lfm2.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"
#include "models/golden_model.h"

namespace invar {
namespace {

int count_nodes(const Program& program, const std::string& name) {
  int count = 0;
  for (const auto& node : program.nodes) {
    count += node->name() == name ? 1 : 0;
  }
  return count;
}

TEST(Lfm2, ConvolutionsAndAttentionFollowTheLayerTypes) {
  const auto model = load_for_test(golden_folder("lfm2"));
  EXPECT_EQ(count_nodes(model->program, "causal_conv"), 2);
  EXPECT_EQ(count_nodes(model->program, "attention"), 2);
}

TEST(Lfm2, OlderFilesListTheAttentionLayers) {
  EditedFolder folder("lfm2");
  folder.config.erase("layer_types");
  folder.config["full_attn_idxs"] = {1, 3};
  const auto model = load_for_test(folder.save());
  EXPECT_EQ(count_nodes(model->program, "causal_conv"), 2);
}

TEST(Lfm2, RefusesWhatItCannotCompute) {
  EditedFolder folder("lfm2");
  folder.config["layer_types"] = {"conv", "mamba", "conv", "full_attention"};
  std::string config = (folder.save() / "config.json").string();
  expect_error([&] { load_for_test(folder.path()); }, Code::kUnsupported,
               config + ": key 'layer_types': expected 'conv' or 'full_attention', found 'mamba'");
  folder.config["layer_types"] = {"conv", "full_attention"};
  folder.save();
  expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
               config + ": key 'layer_types': expected 4 layers (num_hidden_layers), found 2");
  folder.config.erase("layer_types");
  folder.config["full_attn_idxs"] = {1, 4};
  folder.save();
  expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
               config + ": key 'full_attn_idxs': expected layers below 4, found 4");
  folder.config.erase("full_attn_idxs");
  folder.save();
  expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
               config + ": key 'layer_types': expected the kind of each layer, found nothing");
  EditedFolder partial("lfm2");
  partial.config["rope_parameters"]["partial_rotary_factor"] = 0.5;
  config = (partial.save() / "config.json").string();
  expect_error([&] { load_for_test(partial.path()); }, Code::kUnsupported,
               config + ": rotary columns: only all 16 of a head are supported, found 8");
}

TEST(Lfm2, RefusesStatementsThatDiffer) {
  const struct {
    std::string key;
    nlohmann::json agrees;
    nlohmann::json differs;
    std::string message;  // FILE stands for the configuration
  } cases[] = {
      {"full_attn_idxs",
       {1, 3},
       {1, 2},
       "expected no attention in layer 2 (as FILE: key 'layer_types' states), found it there"},
      {"conv_dim", 64, 32, "expected 64 (as FILE: key 'hidden_size' states), found 32"},
      {"tie_embedding", false, true,
       "expected false (as FILE: key 'tie_word_embeddings' states), found true"},
      {"num_heads", 4, 8, "expected 4 (as FILE: key 'num_attention_heads' states), found 8"},
      {"block_norm_eps", 1e-5, 1e-6,
       "expected 1e-05 (as FILE: key 'norm_eps' states), found 1e-06"},
  };
  for (const auto& each : cases) {
    EditedFolder folder("lfm2");
    folder.config[each.key] = each.agrees;
    const std::string config = (folder.save() / "config.json").string();
    load_for_test(folder.path());
    folder.config[each.key] = each.differs;
    folder.save();
    std::string message = each.message;
    message.replace(message.find("FILE"), 4, config);
    expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
                 config + ": key '" + each.key + "': " + message);
  }
}

TEST(Lfm2, RefusesWidthsThatNoFeedForwardHas) {
  EditedFolder folder("lfm2");
  folder.config["block_auto_adjust_ff_dim"] = true;
  folder.config["block_ffn_dim_multiplier"] = 1e300;
  const std::string config = (folder.save() / "config.json").string();
  expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
               config +
                   ": key 'block_ffn_dim_multiplier': expected a number from 0.001 to 1000, "
                   "found 1e+300");
  folder.config["block_ffn_dim_multiplier"] = 0.001;
  folder.save();
  expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
               config +
                   ": key 'block_ffn_dim_multiplier': expected a feed-forward of at least 1 "
                   "column, found 0.001");
}

TEST(Lfm2, RotatesWithTheFamilysBaseWhereNoneIsStated) {
  const auto stated = load_for_test(golden_folder("lfm2"));
  EditedFolder folder("lfm2");
  folder.config.erase("rope_parameters");
  EXPECT_EQ(stated->config.rope.rope_theta, 1e6);
  EXPECT_EQ(load_for_test(folder.save())->config.rope.rope_theta, 1e6);
}

TEST(Lfm2, RefusesMoreTapsThanTheConvolutionTakes) {
  EditedFolder folder("lfm2");
  folder.config["conv_L_cache"] = 17;
  const std::string config = (folder.save() / "config.json").string();
  expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
               config + ": key 'conv_L_cache': expected an integer from 2 to 16, found 17");
}

}  // namespace
}  // namespace invar
