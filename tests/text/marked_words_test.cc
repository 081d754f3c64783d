// Where marked text may be cut.
#include "text/marked_words.h"

#include <gtest/gtest.h>

namespace invar {
namespace {

Vocabulary vocabulary_of(std::initializer_list<const char*> tokens) {
  Vocabulary vocabulary;
  int32_t id = 0;
  for (const char* token : tokens) {
    EXPECT_TRUE(vocabulary.add(id++, token));
  }
  return vocabulary;
}

TEST(MarkedWords, CutsBeforeAMarkThatFollowsSomething) {
  const MarkedWords words(vocabulary_of({"▁", "▁▁a", "b"}));
  EXPECT_TRUE(words.can_cut());
  const std::string_view text = "▁▁ab▁c▁";
  EXPECT_EQ(words.word_end(text, 0), 8u);
  EXPECT_EQ(words.word_end(text, 8), 12u);
  EXPECT_EQ(words.word_end(text, 12), 15u);
  EXPECT_EQ(words.word_end("ab", 0), 2u);
  EXPECT_EQ(words.word_end("▁▁▁", 0), 9u);
}

TEST(MarkedWords, CutsNothingWhereATokenHasAnInnerMark) {
  const MarkedWords words(vocabulary_of({"▁", "a▁"}));
  EXPECT_FALSE(words.can_cut());
  EXPECT_EQ(words.word_end("a▁b", 0), 5u);
  EXPECT_FALSE(MarkedWords(vocabulary_of({"▁", "▁a▁"})).can_cut());
}

TEST(MarkedWords, CutsNothingWhereTheMarkIsNoToken) {
  EXPECT_FALSE(MarkedWords(vocabulary_of({"▁a", "b"})).can_cut());
}

}  // namespace
}  // namespace invar
