// Which ops a Kimi layer becomes.
#include "models/kimi_decoder.h"

#include <gtest/gtest.h>

#include <map>

#include "models/golden_model.h"

namespace invar {
namespace {

std::map<std::string, int> count_ops(const Program& program) {
  std::map<std::string, int> counts;
  for (const auto& node : program.nodes) {
    counts[node->name()] += 1;
  }
  return counts;
}

TEST(KimiDecoder, PlainResidualNeedsNoBanks) {
  std::map<std::string, int> ops = count_ops(load_for_test(golden_folder("kimi-linear"))->program);
  EXPECT_EQ(ops["delta_rule"], 3);
  EXPECT_EQ(ops["attention"], 1);
  EXPECT_EQ(ops["head_linear"], 2);
  EXPECT_EQ(ops["moe_route"], 3);
  EXPECT_EQ(ops["depth_mix"], 0);
  EXPECT_EQ(ops["copy"], 0);
  EXPECT_EQ(ops["situ_mul"], 0);
  EXPECT_EQ(ops["rope"], 0);
}

TEST(KimiDecoder, BanksKeepTheSumThatComesIn) {
  const auto model = load_for_test(golden_folder("kimi-k3"));
  std::map<std::string, int> ops = count_ops(model->program);
  EXPECT_EQ(ops["copy"], 3);  // layers 0, 3 and 6 of 7
  EXPECT_EQ(ops["depth_mix"], 2 * 7 + 1);
  EXPECT_EQ(ops["silu_mul"], 0);
  std::vector<int64_t> used;
  for (const auto& node : model->program.nodes) {
    if (const auto* mix = dynamic_cast<const OpNode<DepthMixArgs>*>(node.get())) {
      used.push_back(mix->args.attributes.banks_used);
    }
  }
  EXPECT_EQ(used, (std::vector<int64_t>{0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3}));
}

// A cache row is the latent and the rope slice, once for all heads.
TEST(KimiDecoder, CachesOneLatentRowAPosition) {
  const auto model = load_for_test(golden_folder("kimi-k3"));
  int latents = 0;
  for (const StateBufferInfo& info : model->program.state_buffers) {
    if (info.name.ends_with("latents")) {
      latents += 1;
      EXPECT_EQ(info.columns, (32 + 16) * kKvBlockRows);
    }
    EXPECT_FALSE(info.name.ends_with("values"));
  }
  EXPECT_EQ(latents, 3);
}

TEST(KimiDecoder, RotatesTheRopeSliceWhereAsked) {
  EditedFolder folder("kimi-k3");
  folder.config["text_config"]["mla_use_nope"] = false;
  const auto model = load_for_test(folder.save());
  std::vector<int64_t> first_columns;
  for (const auto& node : model->program.nodes) {
    if (const auto* rope = dynamic_cast<const OpNode<RopeArgs>*>(node.get())) {
      EXPECT_EQ(rope->args.table.columns, 16);
      first_columns.push_back(rope->args.attributes.first_column);
    }
  }
  EXPECT_EQ(first_columns, (std::vector<int64_t>{32, 0, 32, 0, 32, 0}));
}

}  // namespace
}  // namespace invar
