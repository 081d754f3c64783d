// Merging of layer specs: kinds united, sizes added, limits at their smallest.
#include "program/layer_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace invar {
namespace {

using testing::ElementsAre;

TEST(LayerSpec, MergesLayers) {
  const LayerSpec layers[] = {
      {.layer = -1, .state_kinds = {}, .weight_bytes = 1000, .restrictions = {}},
      {.layer = 0,
       .state_kinds = {"kv"},
       .state_bytes_per_position = 64,
       .weight_bytes = 10,
       .positions_max = 4096,
       .restrictions = {{.layer = 0, .text = "no truncation"}}},
      {.layer = 1,
       .state_kinds = {"recurrent", "kv"},
       .state_bytes_per_position = 32,
       .weight_bytes = 5,
       .positions_max = 2048,
       .restrictions = {{.layer = 1, .text = "no forks"}}},
  };
  const LayerSpec merged = merge_layer_specs(layers);
  EXPECT_EQ(merged.layer, -1);
  EXPECT_THAT(merged.state_kinds, ElementsAre("kv", "recurrent"));
  EXPECT_EQ(merged.state_bytes_per_position, 96);
  EXPECT_EQ(merged.weight_bytes, 1015);
  EXPECT_EQ(merged.positions_max, 2048);
  ASSERT_EQ(merged.restrictions.size(), 2u);
  EXPECT_EQ(merged.restrictions[0].layer, 0);
  EXPECT_EQ(merged.restrictions[1].text, "no forks");
}

TEST(LayerSpec, OfNothingIsEmpty) {
  const LayerSpec merged = merge_layer_specs({});
  EXPECT_TRUE(merged.state_kinds.empty());
  EXPECT_EQ(merged.state_bytes_per_position, 0);
  EXPECT_EQ(merged.positions_max, kNoPositionLimit);
}

}  // namespace
}  // namespace invar
