// The list of fusion rules, and that fuse() applies those that keep every bit.
#include <gtest/gtest.h>

#include <set>

#include "program/fuse/rule.h"
#include "program/small_model.h"

namespace invar {
namespace {

TEST(FusionRules, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const FusionRule& rule : fusion_rules()) {
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
    EXPECT_NE(rule.apply, nullptr);
  }
  EXPECT_TRUE(names.contains("linear_add"));
}

TEST(FusionRules, FuseCountsRewrites) {
  const SmallModel model;
  Program program = copy(model.program);
  const int rewrites = fuse(program);
  EXPECT_EQ(rewrites, 2 * SmallModel::kLayers);
  EXPECT_EQ(program.nodes.size() + rewrites, model.program.nodes.size());
  EXPECT_EQ(fuse(program), 0);
}

}  // namespace
}  // namespace invar
