// What makes a qwen3: q and k are normalised per head before rope, in place.
#include "models/qwen3.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"
#include "models/golden_model.h"

namespace invar {
namespace {

TEST(Qwen3, HeadsAreNormalisedBeforeRope) {
  const auto model = load_for_test(golden_folder("qwen3"));
  int norms = 0;
  for (size_t i = 0; i < model->program.nodes.size(); ++i) {
    const auto* norm = dynamic_cast<const OpNode<RmsNormArgs>*>(model->program.nodes[i].get());
    if (norm != nullptr && norm->args.x.index == norm->args.out.index) {
      norms += 1;
      EXPECT_EQ(norm->args.weight.columns, 32);
    }
  }
  EXPECT_EQ(norms, 8);  // q and k of four layers
}

TEST(Qwen3, RefusesSlidingWindows) {
  EditedFolder folder("qwen3");
  folder.config["use_sliding_window"] = true;
  const std::string config = (folder.save() / "config.json").string();
  expect_error([&] { load_for_test(folder.path()); }, Code::kUnsupported,
               config + ": key 'use_sliding_window': only false is supported, found true");
}

}  // namespace
}  // namespace invar
