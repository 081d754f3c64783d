// What makes a qwen3_moe: experts in place of feed-forwards, and what an absent key means.
#include "models/qwen3_moe.h"

#include <gtest/gtest.h>

#include "models/golden_model.h"

namespace invar {
namespace {

TEST(Qwen3Moe, EveryLayerHasExperts) {
  const auto model = load_for_test(golden_folder("qwen3-moe"));
  int routers = 0;
  for (const auto& node : model->program.nodes) {
    if (const auto* route = dynamic_cast<const OpNode<MoeRouteArgs>*>(node.get())) {
      routers += 1;
      EXPECT_EQ(route->args.attributes.top_k, 2);
      EXPECT_FALSE(route->args.attributes.sigmoid);
      EXPECT_TRUE(route->args.attributes.renormalize);
      EXPECT_FALSE(route->args.bias);
    }
  }
  EXPECT_EQ(routers, 4);
}

TEST(Qwen3Moe, WeightsAreAsTheyAreUnlessTheConfigurationSaysSo) {
  EditedFolder folder("qwen3-moe");
  folder.config.erase("norm_topk_prob");
  const auto model = load_for_test(folder.save());
  EXPECT_NE(logits_of(*model), logits_of(*load_for_test(golden_folder("qwen3-moe"))));
}

}  // namespace
}  // namespace invar
