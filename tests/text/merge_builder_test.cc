// Merges from token texts: batches, repetitions, and pairs that are no tokens.
#include "text/merge_builder.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"

namespace invar {
namespace {

Vocabulary letters() {
  Vocabulary vocabulary;
  int32_t id = 0;
  for (char c = 'a'; c <= 'z'; ++c) {
    EXPECT_TRUE(vocabulary.add(id++, std::string(1, c)));
  }
  for (char c = 'a'; c <= 'z'; ++c) {
    for (char d = 'a'; d <= 'z'; ++d) {
      EXPECT_TRUE(vocabulary.add(id++, std::string{c, d}));
    }
  }
  return vocabulary;
}

TEST(MergeBuilder, ResolvesMoreThanABatchInOrder) {
  const Vocabulary vocabulary = letters();
  std::vector<std::string> texts;
  for (char c = 'a'; c <= 'z'; ++c) {
    texts.emplace_back(1, c);
  }
  MergeBuilder builder(vocabulary, {.count = 26 * 26, .continuation_prefix = {}, .where = "f"});
  for (const std::string& left : texts) {
    for (const std::string& right : texts) {
      builder.add(left, right);
    }
  }
  const MergeTable table = builder.finish();
  EXPECT_EQ(table.size(), 26u * 26u);
  const Merge* merge = table.find(*vocabulary.id_of("c"), *vocabulary.id_of("b"));
  ASSERT_NE(merge, nullptr);
  EXPECT_EQ(merge->rank, 2 * 26 + 1);
  EXPECT_EQ(merge->merged, vocabulary.id_of("cb"));
}

TEST(MergeBuilder, EitherOfRepeatedMergesCanCount) {
  const Vocabulary vocabulary = letters();
  for (const auto repeated :
       {MergeBuilder::Repeated::kFirstCounts, MergeBuilder::Repeated::kLastCounts}) {
    MergeBuilder::Options options;
    options.count = 3;
    options.repeated = repeated;
    MergeBuilder builder(vocabulary, options);
    builder.add("a", "b");
    builder.add("b", "a");
    builder.add("a", "b");
    const MergeTable table = builder.finish();
    EXPECT_EQ(table.find(0, 1)->rank, repeated == MergeBuilder::Repeated::kFirstCounts ? 0 : 2);
  }
}

TEST(MergeBuilder, DropsTheContinuationPrefixOfTheRightToken) {
  Vocabulary vocabulary;
  EXPECT_TRUE(vocabulary.add(0, "a"));
  EXPECT_TRUE(vocabulary.add(1, "##b"));
  EXPECT_TRUE(vocabulary.add(2, "ab"));
  MergeBuilder::Options options;
  options.count = 1;
  options.continuation_prefix = "##";
  MergeBuilder builder(vocabulary, options);
  builder.add("a", "##b");
  EXPECT_EQ(builder.finish().find(0, 1)->merged, 2);
}

TEST(MergeBuilder, NamesAPairThatFormsNoToken) {
  const Vocabulary vocabulary = letters();
  MergeBuilder::Options options;
  options.count = 2;
  options.where = "f: merges";
  MergeBuilder builder(vocabulary, options);
  builder.add("a", "b");
  builder.add("ab", "c");
  expect_error([&] { builder.finish(); }, Code::kBadFile,
               "f: merges: merge 1: expected two tokens that form a token, found 'ab' and 'c'");
}

}  // namespace
}  // namespace invar
