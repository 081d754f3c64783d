// WordPiece and WordLevel.
#include "text/wordpiece.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"

namespace invar {
namespace {

Vocabulary small() {
  Vocabulary vocabulary;
  for (const char* token : {"[UNK]", "un", "##aff", "##able", "##a", "é", "##é"}) {
    EXPECT_TRUE(vocabulary.add(vocabulary.size(), token));
  }
  return vocabulary;
}

std::vector<int32_t> encode(const Vocabulary& vocabulary, std::string_view word,
                            WordPieceOptions options) {
  std::vector<int32_t> ids;
  WordPiece(vocabulary, options).encode(word, ids);
  return ids;
}

TEST(WordPiece, TakesTheLongestBeginningEachTime) {
  const Vocabulary vocabulary = small();
  WordPieceOptions options;
  options.unk = 0;
  EXPECT_EQ(encode(vocabulary, "unaffable", options), (std::vector<int32_t>{1, 2, 3}));
  EXPECT_EQ(encode(vocabulary, "éé", options), (std::vector<int32_t>{5, 6}));
  EXPECT_EQ(encode(vocabulary, "unx", options), (std::vector<int32_t>{0}));
  EXPECT_EQ(encode(vocabulary, "", options), std::vector<int32_t>{});
}

TEST(WordPiece, LongWordsAreUnknown) {
  const Vocabulary vocabulary = small();
  WordPieceOptions options;
  options.unk = 0;
  options.max_input_chars_per_word = 2;
  EXPECT_EQ(encode(vocabulary, "un", options), (std::vector<int32_t>{1}));
  EXPECT_EQ(encode(vocabulary, "éé", options), (std::vector<int32_t>{5, 6}));
  EXPECT_EQ(encode(vocabulary, "una", options), (std::vector<int32_t>{0}));
}

TEST(WordPiece, WithoutUnknownTokenItSaysWhatIsMissing) {
  const Vocabulary vocabulary = small();
  expect_error([&] { encode(vocabulary, "x", {}); }, Code::kBadArgument,
               "text: no token for 'x', and the vocabulary has no unknown token");
}

TEST(WordLevel, AWordIsAToken) {
  const Vocabulary vocabulary = small();
  std::vector<int32_t> ids;
  WordLevel(vocabulary, 0).encode("un", ids);
  WordLevel(vocabulary, 0).encode("una", ids);
  EXPECT_EQ(ids, (std::vector<int32_t>{1, 0}));
  expect_error([&] { WordLevel(vocabulary, std::nullopt).encode("x", ids); }, Code::kBadArgument,
               "text: no token for 'x', and the vocabulary has no unknown token");
}

}  // namespace
}  // namespace invar
