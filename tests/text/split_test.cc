// The five behaviours, with and without inversion. Expected pieces are the reference library's.
#include "text/split.h"

#include <gtest/gtest.h>

namespace invar {
namespace {

using Texts = std::vector<std::string>;

Texts split(std::string_view text, std::vector<TextSpan> matches, SplitRule rule) {
  std::vector<Piece> pieces;
  split_piece({text, true}, matches, rule, pieces);
  Texts out;
  for (const Piece& piece : pieces) {
    out.emplace_back(piece.text);
  }
  return out;
}

// "the-final--countdown" at each "-".
Texts countdown(SplitBehavior behavior, bool invert = false) {
  return split("the-final--countdown", {{3, 4}, {9, 10}, {10, 11}}, {behavior, invert});
}

TEST(Split, Behaviors) {
  EXPECT_EQ(countdown(SplitBehavior::kRemoved), (Texts{"the", "final", "countdown"}));
  EXPECT_EQ(countdown(SplitBehavior::kIsolated),
            (Texts{"the", "-", "final", "-", "-", "countdown"}));
  EXPECT_EQ(countdown(SplitBehavior::kMergedWithPrevious),
            (Texts{"the-", "final-", "-", "countdown"}));
  EXPECT_EQ(countdown(SplitBehavior::kMergedWithNext), (Texts{"the", "-final", "-", "-countdown"}));
  EXPECT_EQ(countdown(SplitBehavior::kContiguous), (Texts{"the", "-", "final", "--", "countdown"}));
}

TEST(Split, Inverted) {
  EXPECT_EQ(countdown(SplitBehavior::kRemoved, true), (Texts{"-", "-", "-"}));
  EXPECT_EQ(countdown(SplitBehavior::kIsolated, true),
            (Texts{"the", "-", "final", "-", "-", "countdown"}));
  EXPECT_EQ(countdown(SplitBehavior::kMergedWithPrevious, true),
            (Texts{"the", "-final", "-", "-countdown"}));
  EXPECT_EQ(countdown(SplitBehavior::kMergedWithNext, true),
            (Texts{"the-", "final-", "-", "countdown"}));
}

TEST(Split, EmptyMatchesCutAndVanish) {
  EXPECT_EQ(split("ab", {{0, 0}, {1, 1}, {2, 2}}, {}), (Texts{"a", "b"}));
  EXPECT_EQ(split("ab", {}, {}), (Texts{"ab"}));
  EXPECT_EQ(split("", {}, {SplitBehavior::kRemoved, false}), Texts{});
}

TEST(Split, OnlyTheFirstPartIsAtTheStart) {
  std::vector<Piece> pieces;
  const std::vector<TextSpan> match = {{1, 2}};
  split_piece({"abc", true}, match, {}, pieces);
  split_piece({"abc", false}, match, {}, pieces);
  std::vector<bool> at_start;
  for (const Piece& piece : pieces) {
    at_start.push_back(piece.at_start);
  }
  EXPECT_EQ(at_start, (std::vector<bool>{true, false, false, false, false, false}));
}

}  // namespace
}  // namespace invar
