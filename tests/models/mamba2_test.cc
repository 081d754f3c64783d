// What makes a mamba2: no attention and no positions table, and what is refused.
#include "models/mamba2.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"
#include "models/golden_model.h"
#include "program/layer_spec.h"

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
  folder.config["expand"] = 2;
  folder.config["time_step_limit"] = {0.5, 0.1};
  folder.save();
  expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
               config + ": key 'time_step_limit': expected two ascending numbers, found 0.5, 0.1");
  folder.config["time_step_limit"] = {0.5, "x"};
  folder.save();
  expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
               config + ": key 'time_step_limit': expected a list of numbers, found [0.5,\"x\"]");
}

}  // namespace
}  // namespace invar
