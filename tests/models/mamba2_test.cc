// What makes a mamba2: no attention and no positions table, and what is refused.
#include "models/mamba2.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "backend/ops/causal_conv.h"
#include "formats/expect_error.h"
#include "models/golden_model.h"
#include "program/layer_spec.h"
#include "program/program.h"

namespace invar {
namespace {

TEST(Mamba2, HasRecurrentStateOnly) {
  const auto model = load_for_test(golden_folder("mamba2"));
  const LayerSpec spec = merge_layer_specs(derive_layer_specs(model->program));
  EXPECT_EQ(spec.state_kinds, std::vector<std::string>{"recurrent"});
  EXPECT_EQ(spec.state_bytes_per_position, 0);
  EXPECT_GT(spec.state_page_bytes, 0);
  EXPECT_EQ(spec.positions_max, kNoPositionLimit);
}

TEST(Mamba2, RefusesWhatItCannotCompute) {
  EditedFolder folder("mamba2");
  folder.config["n_groups"] = 3;
  const std::string config = (folder.save() / "config.json").string();
  expect_error([&] { load_for_test(folder.path()); }, Code::kUnsupported,
               config +
                   ": sizes: expected heads a multiple of n_groups, head_dim and state_size "
                   "multiples of 16, found 8, 3, 16, 16");
  folder.config["n_groups"] = 2;
  folder.config["expand"] = 3;
  folder.save();
  expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
               config +
                   ": key 'num_heads': expected heads * head_dim = expand * hidden_size, found "
                   "128 and 192");
  folder.config["expand"] = 1e300;
  folder.save();
  expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
               config +
                   ": key 'expand': expected a number from 0.0009765625 to 1024, found "
                   "1e+300");
  folder.config["expand"] = 2;
  folder.config["time_step_limit"] = {0.5, 0.1};
  folder.save();
  expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
               config +
                   ": key 'time_step_limit': expected two ascending numbers from 0 to "
                   "1000000, found \"0.5, 0.1\"");
  // The second alone may be infinite, and none may become it on the way to f32.
  for (const char* limit : {"[1e39, 1e40]", "[0, 1e40]", R"([{"__float__": "Infinity"}, 1])"}) {
    folder.config["time_step_limit"] = nlohmann::json::parse(limit);
    folder.save();
    EXPECT_THAT([&] { load_for_test(folder.path()); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("expected two ascending")))
        << limit;
  }
  folder.config["time_step_limit"] = nlohmann::json::object();
  folder.save();
  expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
               config + ": key 'time_step_limit': expected a list of numbers, found {}");
  folder.config["time_step_limit"] = {0.5, "x"};
  folder.save();
  expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
               config + ": key 'time_step_limit': expected a list of numbers, found [0.5,\"x\"]");
}

TEST(Mamba2, RefusesEpsilonsThatNoNormHas) {
  EditedFolder folder("mamba2");
  for (const double epsilon : {-1.0, 1e39, 1e300}) {
    folder.config["layer_norm_epsilon"] = epsilon;
    const std::string config = (folder.save() / "config.json").string();
    expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
                 config + ": key 'layer_norm_epsilon': expected a number from 0 to 1, found " +
                     nlohmann::json(epsilon).dump());
  }
}

TEST(Mamba2, RefusesEndTokensOutsideTheVocabulary) {
  EditedFolder folder("mamba2");
  folder.config["eos_token_id"] = {2, 256};
  const std::string config = (folder.save() / "config.json").string();
  expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
               config + ": key 'eos_token_id': expected token ids from 0 to 255, found 256");
}

TEST(Mamba2, TimeStepsMayBeWithoutEndAsPythonWritesIt) {
  EditedFolder folder("mamba2");
  folder.config["time_step_limit"] = "LIMIT";
  std::string text = folder.config.dump();
  text.replace(text.find("\"LIMIT\""), 7, "[0.0, Infinity]");
  const std::filesystem::path path = folder.save();
  std::filesystem::remove(path / "config.json");
  std::ofstream(path / "config.json") << text;
  const auto model = load_for_test(path);
  for (const auto& node : model->program.nodes) {
    if (const auto* ssd = dynamic_cast<const OpNode<SsdArgs>*>(node.get())) {
      EXPECT_EQ(ssd->args.attributes.dt_max, std::numeric_limits<float>::infinity());
    }
  }
}

TEST(Mamba2, RefusesAnotherNorm) {
  for (const auto& [key, supported] : {std::pair{"rms_norm", true}, {"norm_before_gate", false}}) {
    EditedFolder folder("mamba2");
    folder.config[key] = supported;
    load_for_test(folder.save());
    folder.config[key] = !supported;
    const std::string config = (folder.save() / "config.json").string();
    expect_error([&] { load_for_test(folder.path()); }, Code::kUnsupported,
                 fmt::format("{}: key '{}': only {} is supported, found {}", config, key, supported,
                             !supported));
  }
}

TEST(Mamba2, RefusesMoreTapsThanTheConvolutionTakes) {
  EditedFolder folder("mamba2");
  folder.config["conv_kernel"] = kCausalConvTapsMax + 1;
  const std::string config = (folder.save() / "config.json").string();
  expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
               config + ": key 'conv_kernel': expected an integer from 2 to 16, found 17");
}

}  // namespace
}  // namespace invar
