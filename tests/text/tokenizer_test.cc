// The way of a text through all parts, questions about tokens, and use from many threads.
#include "text/tokenizer.h"

#include <gtest/gtest.h>

#include <thread>

#include "text/stopped.h"
#include "text/tokenizer_builder.h"

namespace invar {
namespace {

using Ids = std::vector<int32_t>;

// Words after lower-casing; "<s>" is special, "<T>" is added and matched in normalized text.
Tokenizer word_tokenizer() {
  return test::tokenizer_of(
      {.normalizer = R"({"type": "Lowercase"})",
       .pre_tokenizer = R"({"type": "WhitespaceSplit"})",
       .decoder = R"({"type": "WordPiece", "prefix": "##", "cleanup": false})",
       .added_tokens = R"([{"content": "<s>", "special": true, "normalized": false},
                           {"content": "<T>", "special": false, "normalized": true}])",
       .model = R"({"type": "WordLevel", "unk_token": "?",
                    "vocab": {"?": 0, "a": 1, "b": 2, "<s>": 3}})"});
}

TEST(Tokenizer, CutsNormalizesAndEncodes) {
  const Tokenizer tokenizer = word_tokenizer();
  EXPECT_EQ(tokenizer.encode("A b<s>B x"), (Ids{1, 2, 3, 2, 0}));
  EXPECT_EQ(tokenizer.encode("a<t>b"), (Ids{1, 4, 2}));
  EXPECT_EQ(tokenizer.encode("a <S> b"), (Ids{1, 3, 2}));  // after lower-casing a word like any
  EXPECT_EQ(tokenizer.encode("a<s>", {.parse_special = false}), (Ids{0}));
  EXPECT_EQ(tokenizer.encode(""), Ids{});
}

TEST(Tokenizer, Decodes) {
  const Tokenizer tokenizer = word_tokenizer();
  EXPECT_EQ(tokenizer.decode(Ids{1, 3, 2, 4, 999, -1}, false), "a <s> b <t>");
  EXPECT_EQ(tokenizer.decode(Ids{1, 3, 2}, true), "a b");
  EXPECT_EQ(tokenizer.token_bytes(2), " b");
  EXPECT_EQ(tokenizer.token_bytes(999), "");
}

TEST(Tokenizer, AnswersAboutTokens) {
  const Tokenizer tokenizer = word_tokenizer();
  EXPECT_EQ(tokenizer.vocab_size(), 5);
  EXPECT_EQ(tokenizer.id_of("a"), 1);
  EXPECT_EQ(tokenizer.id_of("<T>"), 4);
  EXPECT_EQ(tokenizer.id_of("zzz"), std::nullopt);
  EXPECT_EQ(tokenizer.token_text(4), "<T>");
  EXPECT_EQ(tokenizer.token_text(5), std::nullopt);
  EXPECT_TRUE(tokenizer.is_special(3));
  EXPECT_FALSE(tokenizer.is_special(4));
}

TEST(Tokenizer, BrokenTextIsReplacedWhereBytesAreNoTokens) {
  const Tokenizer tokenizer = test::tokenizer_of(
      {.model = R"({"type": "BPE", "vocab": {"a": 0, "\uFFFD": 1}, "merges": []})"});
  EXPECT_EQ(tokenizer.encode("a\xE2\x82"
                             "a\xFF"),
            (Ids{0, 1, 0, 1}));
}

TEST(Tokenizer, RefusesTextsThatAreTooLong) {
  const Tokenizer tokenizer = word_tokenizer();
  const std::string_view text("a", Tokenizer::kMaxTextBytes + 1);  // is not read
  expect_error([&] { tokenizer.encode(text); }, Code::kBadArgument,
               "text: expected at most 268435456 bytes, found 268435457");
}

TEST(Tokenizer, ManyThreadsShareOne) {
  const Tokenizer tokenizer =
      test::tokenizer_of({.normalizer = R"({"type": "NFC"})",
                          .pre_tokenizer = R"({"type": "ByteLevel", "add_prefix_space": false})",
                          .decoder = R"({"type": "ByteLevel"})",
                          .model = R"({"type": "BPE", "merges": ["a b", "ab ab"],
                    "vocab": {"a": 0, "b": 1, "Ġ": 2, "ab": 3, "abab": 4}})"});
  const std::string text = "abab ab aab b ab a";
  const Ids expected = tokenizer.encode(text);
  std::vector<std::thread> threads;
  std::atomic<int> equal = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        equal += tokenizer.encode(text) == expected && tokenizer.decode(expected, false) == text;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(equal, 800);
}

// Each long loop notices: a text without a border that a tokenizer would cut it at.
TEST(Tokenizer, StopsWhenNobodyWaits) {
  constexpr std::string_view kBpe =
      R"({"type": "BPE", "vocab": {"a": 0, "aa": 1}, "merges": ["a a"]})";
  constexpr std::string_view kUnigram =
      R"({"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["a", -1.0], ["aa", -1.5]]})";
  constexpr std::string_view kSplit =
      R"({"type": "Split", "pattern": {"Regex": "a"}, "behavior": "Isolated", "invert": false})";
  const std::vector<test::SmallTokenizer> tokenizers = {
      {.model = kBpe},
      {.model = kUnigram},
      {.pre_tokenizer = kSplit},
      {.pre_tokenizer = R"({"type": "Punctuation", "behavior": "Isolated"})"},
      {.pre_tokenizer = R"({"type": "Metaspace", "replacement": "_", "prepend_scheme": "always",
                            "split": true})"},
      {.pre_tokenizer = R"({"type": "FixedLength", "length": 1})"},
      {.normalizer = R"({"type": "Lowercase"})"},
      {.normalizer = R"({"type": "Replace", "pattern": {"String": "a"}, "content": "b"})"},
      {.added_tokens = R"([{"content": "aa", "special": false, "normalized": false}])"}};
  const std::string text(20'000, 'a');
  for (const test::SmallTokenizer& small : tokenizers) {
    const Tokenizer tokenizer = test::tokenizer_of(small);
    EXPECT_FALSE(tokenizer.encode(text).empty());
    test::expect_stopped([&] { tokenizer.encode(text, {.stop = test::stopped_token()}); });
  }
}

}  // namespace
}  // namespace invar
