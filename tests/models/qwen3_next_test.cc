// What makes a qwen3_next: experts behind every mixer, with one shared expert that is gated.
#include "models/qwen3_next.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"
#include "models/golden_model.h"

namespace invar {
namespace {

TEST(Qwen3Next, EveryLayerHasExpertsAndAGatedSharedOne) {
  for (const std::string family : {"qwen3-next", "qwen3.5-moe"}) {
    const auto model = load_for_test(golden_folder(family));
    int routers = 0;
    int gated = 0;
    for (const auto& node : model->program.nodes) {
      if (const auto* route = dynamic_cast<const OpNode<MoeRouteArgs>*>(node.get())) {
        routers += 1;
        EXPECT_TRUE(route->args.attributes.renormalize);
      }
      const auto* gate = dynamic_cast<const OpNode<SigmoidMulArgs>*>(node.get());
      gated += gate != nullptr && gate->args.gate.columns == 1 ? 1 : 0;
    }
    EXPECT_EQ(routers, 4) << family;
    EXPECT_EQ(gated, 4) << family;
  }
}

TEST(Qwen3Next, NeedsTheSharedExpertsWidth) {
  EditedFolder folder("qwen3-next");
  folder.config.erase("shared_expert_intermediate_size");
  const std::string config = (folder.save() / "config.json").string();
  expect_error([&] { load_for_test(folder.path()); }, Code::kBadFile,
               config +
                   ": key 'shared_expert_intermediate_size': expected an integer from 1 to "
                   "1048576, found nothing");
}

}  // namespace
}  // namespace invar
