// What makes a qwen2: biases on q, k and v, and attention over everything.
#include "models/qwen2.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"
#include "models/golden_model.h"

namespace invar {
namespace {

TEST(Qwen2, ProjectionsHaveBiases) {
  const auto model = load_for_test(golden_folder("qwen2"));
  int biases = 0;
  for (const auto& node : model->program.nodes) {
    const auto* linear = dynamic_cast<const OpNode<LinearArgs>*>(node.get());
    biases += linear != nullptr && linear->args.bias ? 1 : 0;
  }
  EXPECT_EQ(biases, 4);  // q, k and v of a layer are one product
}

TEST(Qwen2, RefusesSlidingWindows) {
  EditedFolder folder("qwen2");
  folder.config["use_sliding_window"] = true;
  const std::string config = (folder.save() / "config.json").string();
  expect_error([&] { load_for_test(folder.path()); }, Code::kUnsupported,
               config + ": key 'use_sliding_window': only false is supported, found true");
  folder.config["use_sliding_window"] = false;
  folder.config["sliding_window"] = 4096;  // means nothing then
  load_for_test(folder.save());
  folder.config["layer_types"][2] = "sliding_attention";
  folder.save();
  expect_error([&] { load_for_test(folder.path()); }, Code::kUnsupported,
               config +
                   ": key 'layer_types': only 'full_attention' is supported, found "
                   "'sliding_attention'");
}

}  // namespace
}  // namespace invar
