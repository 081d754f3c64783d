// Byte-pair encoding against a plain reference, its options, and hostile text.
#include "text/bpe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <random>

#include "text/byte_alphabet.h"
#include "text/merge_builder.h"
#include "text/utf8.h"

namespace invar {
namespace {

struct SmallVocabulary {
  Vocabulary vocabulary;
  std::vector<std::pair<std::string, std::string>> merges;

  explicit SmallVocabulary(std::initializer_list<const char*> tokens) {
    for (const char* token : tokens) {
      EXPECT_TRUE(vocabulary.add(vocabulary.size(), token));
    }
  }
  void merge(const std::string& left, const std::string& right) {
    if (std::find(merges.begin(), merges.end(), std::pair(left, right)) != merges.end()) {
      return;
    }
    if (!vocabulary.id_of(left + right).has_value()) {
      EXPECT_TRUE(vocabulary.add(vocabulary.size(), left + right));
    }
    merges.emplace_back(left, right);
  }
  MergeTable table() const {
    MergeBuilder::Options options;
    options.count = merges.size();
    MergeBuilder builder(vocabulary, options);
    for (const auto& [left, right] : merges) {
      builder.add(left, right);
    }
    return builder.finish();
  }
  Bpe model(BpeOptions options = {}) const { return Bpe(vocabulary, table(), options); }
};

std::vector<std::string> tokens_of(const Bpe& bpe, const Vocabulary& vocabulary,
                                   std::string_view piece) {
  BpeScratch scratch;
  std::vector<int32_t> ids;
  bpe.encode(piece, scratch, ids);
  std::vector<std::string> tokens;
  for (const int32_t id : ids) {
    tokens.emplace_back(*vocabulary.token(id));
  }
  return tokens;
}

using Tokens = std::vector<std::string>;

// The definition: the lowest rank anywhere, leftmost first, one merge at a time.
Tokens reference(const SmallVocabulary& small, std::string_view piece) {
  Tokens symbols;
  for (size_t at = 0; at < piece.size();) {
    const size_t begin = at;
    next_code(piece, at);
    symbols.emplace_back(piece.substr(begin, at - begin));
  }
  while (true) {
    size_t best = SIZE_MAX;
    size_t best_rank = SIZE_MAX;
    for (size_t i = 0; i + 1 < symbols.size(); ++i) {
      for (size_t rank = 0; rank < small.merges.size() && rank < best_rank; ++rank) {
        if (small.merges[rank].first == symbols[i] && small.merges[rank].second == symbols[i + 1]) {
          best = i;
          best_rank = rank;
        }
      }
    }
    if (best == SIZE_MAX) {
      return symbols;
    }
    symbols[best] += symbols[best + 1];
    symbols.erase(symbols.begin() + static_cast<ptrdiff_t>(best) + 1);
  }
}

TEST(Bpe, EqualsTheDefinitionOnShortAndLongPieces) {
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    SmallVocabulary small({"a", "b", "c", "▁"});
    Tokens known = {"a", "b", "c"};
    if (round % 3 != 0) {
      known.push_back("▁");  // with inner marks; every third vocabulary can cut words
    } else {
      small.merge("▁", "▁");
      small.merge("▁", "a");
    }
    for (int i = 0; i < 25; ++i) {
      const std::string left = known[random() % known.size()];
      const std::string right = known[random() % known.size()];
      if (left.size() + right.size() < 12) {
        small.merge(left, right);
        known.push_back(left + right);
      }
    }
    const Bpe bpe = small.model();
    for (const size_t length : {1, 5, 40, 63, 64, 65, 66, 90, 200}) {
      std::string piece;
      for (size_t i = 0; i < length; ++i) {
        piece += Tokens{"a", "b", "c", "▁"}[random() % 4];
      }
      ASSERT_EQ(tokens_of(bpe, small.vocabulary, piece), reference(small, piece)) << piece;
    }
  }
}

TEST(Bpe, AKnownPieceOfOneCallComesFromTheCache) {
  SmallVocabulary small({"a", "b"});
  small.merge("a", "b");
  const Bpe bpe = small.model();
  BpeScratch scratch;
  std::vector<int32_t> ids;
  bpe.encode("aab", scratch, ids);
  bpe.encode("aab", scratch, ids);
  EXPECT_EQ(ids, (std::vector<int32_t>{0, 2, 0, 2}));
}

TEST(Bpe, BytesAreSpelledInTheAlphabet) {
  SmallVocabulary small({"Ġ", "a", "Ã", "©"});
  small.merge("Ã", "©");
  BpeOptions options;
  options.byte_level = true;
  const Bpe bpe = small.model(options);
  EXPECT_EQ(tokens_of(bpe, small.vocabulary, " aé"), (Tokens{"Ġ", "a", "Ã©"}));
  EXPECT_EQ(tokens_of(bpe, small.vocabulary, "\xC3"), (Tokens{"Ã"}));
  EXPECT_EQ(tokens_of(bpe, small.vocabulary, "xax"), (Tokens{"a"}));  // x is unknown and dropped
}

TEST(Bpe, UnknownBytesBecomeTheUnknownToken) {
  SmallVocabulary small({"a", "?"});
  BpeOptions options;
  options.byte_level = true;
  options.unk = 1;
  EXPECT_EQ(tokens_of(small.model(options), small.vocabulary, "xxa"), (Tokens{"?", "?", "a"}));
  options.fuse_unk = true;
  EXPECT_EQ(tokens_of(small.model(options), small.vocabulary, "xxa"), (Tokens{"?", "a"}));
}

TEST(Bpe, UnknownCharacters) {
  SmallVocabulary small({"a", "<unk>", "<0xC3>", "<0xA9>"});
  BpeOptions options;
  EXPECT_EQ(tokens_of(small.model(options), small.vocabulary, "axé"), (Tokens{"a"}));
  options.unk = 1;
  EXPECT_EQ(tokens_of(small.model(options), small.vocabulary, "axéa"),
            (Tokens{"a", "<unk>", "<unk>", "a"}));
  options.fuse_unk = true;
  EXPECT_EQ(tokens_of(small.model(options), small.vocabulary, "axéa"), (Tokens{"a", "<unk>", "a"}));
  options.byte_fallback = true;  // é has byte tokens, x has not
  EXPECT_EQ(tokens_of(small.model(options), small.vocabulary, "aéxa"),
            (Tokens{"a", "<0xC3>", "<0xA9>", "<unk>", "a"}));
}

TEST(Bpe, IgnoreMergesTakesTheWholePieceFirst) {
  SmallVocabulary small({"a", "b", "c"});
  small.merge("b", "c");
  EXPECT_TRUE(small.vocabulary.add(4, "abc"));
  EXPECT_EQ(tokens_of(small.model(), small.vocabulary, "abc"), (Tokens{"a", "bc"}));
  BpeOptions options;
  options.ignore_merges = true;
  EXPECT_EQ(tokens_of(small.model(options), small.vocabulary, "abc"), (Tokens{"abc"}));
  EXPECT_EQ(tokens_of(small.model(options), small.vocabulary, "abca"), (Tokens{"a", "bc", "a"}));
  options.byte_level = true;
  EXPECT_EQ(tokens_of(small.model(options), small.vocabulary, "abc"), (Tokens{"abc"}));
}

TEST(Bpe, IgnoreMergesConcernsPiecesAndNotTheirWords) {
  SmallVocabulary small({"▁", "a", "b"});
  EXPECT_TRUE(small.vocabulary.add(3, "▁ab"));
  BpeOptions options;
  options.ignore_merges = true;
  EXPECT_EQ(tokens_of(small.model(options), small.vocabulary, "▁ab"), (Tokens{"▁ab"}));
  EXPECT_EQ(tokens_of(small.model(options), small.vocabulary, "a▁ab"),
            (Tokens{"a", "▁", "a", "b"}));
}

TEST(Bpe, PrefixAndSuffixDecorateCharacters) {
  SmallVocabulary small({"a", "##b", "##b</w>", "a</w>"});
  BpeOptions options;
  options.continuing_subword_prefix = "##";
  options.end_of_word_suffix = "</w>";
  const Bpe bpe(small.vocabulary, MergeTable(0), options);
  EXPECT_EQ(tokens_of(bpe, small.vocabulary, "abb"), (Tokens{"a", "##b", "##b</w>"}));
  EXPECT_EQ(tokens_of(bpe, small.vocabulary, "a"), (Tokens{"a</w>"}));
}

TEST(Bpe, AMillionEqualLettersTakeNoQuadraticTime) {
  SmallVocabulary small({"a"});
  std::string token = "a";
  for (int i = 0; i < 6; ++i) {
    small.merge(token, token);
    token += token;
  }
  const Bpe bpe = small.model();
  BpeScratch scratch;
  std::vector<int32_t> ids;
  const auto start = std::chrono::steady_clock::now();
  bpe.encode(std::string(1'000'000, 'a'), scratch, ids);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(ids.size(), 1'000'000u / 64);
  EXPECT_LT(seconds.count(), 20.0);  // about a second; quadratic time would be an hour
}

}  // namespace
}  // namespace invar
