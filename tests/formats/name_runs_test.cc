// Names written together stand for exactly the names that were given.
#include "formats/name_runs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace invar {
namespace {

using testing::ElementsAre;
using Names = std::vector<std::string>;

TEST(NameRuns, NumbersBetweenDotsBecomeRanges) {
  EXPECT_THAT(collapse_names(Names{}), ElementsAre());
  EXPECT_THAT(collapse_names(Names{"norm", "a.7.w", "b"}), ElementsAre("norm", "a.7.w", "b"));
  EXPECT_THAT(collapse_names(Names{"a.7.w", "norm", "a.1.w", "a.0.w", "a.2.w", "a.1.w"}),
              ElementsAre("a.{0..2,7}.w", "norm"));
  EXPECT_THAT(collapse_names(Names{"9.w", "10.w", "a.9", "a.11"}),
              ElementsAre("{9..10}.w", "a.{9,11}"));
}

TEST(NameRuns, AllCombinationsAreOneEntry) {
  Names names;
  for (int layer = 3; layer <= 17; ++layer) {
    for (int expert = 0; expert < 128; ++expert) {
      names.push_back(fmt::format("model.layers.{}.mlp.experts.{}.up_proj.weight", layer, expert));
    }
  }
  EXPECT_THAT(collapse_names(names),
              ElementsAre("model.layers.{3..17}.mlp.experts.{0..127}.up_proj.weight"));
  names.erase(names.begin() + 128 + 5);  // expert 5 of layer 4
  EXPECT_THAT(collapse_names(names),
              ElementsAre("model.layers.{3,5..17}.mlp.experts.{0..127}.up_proj.weight",
                          "model.layers.4.mlp.experts.{0..4,6..127}.up_proj.weight"));
}

TEST(NameRuns, OnlyWholeNumbersAreCounted) {
  const Names names{"w1", "w2", "a.01", "a.02", "a.10000000000000000000", "a.1x", "a..b", ""};
  EXPECT_EQ(collapse_names(names), names);
  std::string many = "0";
  for (int i = 1; i < 100000; ++i) {
    many += ".0";
  }
  EXPECT_TRUE(collapse_names(Names{many + ".1", many + ".2"})[1].starts_with("0.0.0.0.0.0.0.0.0"));
}

TEST(NameRuns, AreSafeToPrint) {
  EXPECT_EQ(quoted_names(Names{"a.0.\x1b[31m", "a.1.\x1b[31m", "b"}), "'a.{0..1}.\\x1b[31m', 'b'");
}

}  // namespace
}  // namespace invar
