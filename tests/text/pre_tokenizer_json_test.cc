// Pre-tokenizers of tokenizer.json.
#include <gtest/gtest.h>

#include "text/tokenizer_builder.h"
#include "text/tokenizer_parts.h"

namespace invar {
namespace {

using Texts = std::vector<std::string>;

Texts pieces(std::string_view pre_tokenizer, std::string_view text) {
  const Tokenizer tokenizer = test::tokenizer_of({.pre_tokenizer = pre_tokenizer});
  TextArena arena(GrowthLimit("f", "pre_tokenizer", text.size()));
  std::vector<Piece> found = {{text, true}};
  StopCheck never;
  pre_tokenize(tokenizer.parts().pre_tokenizer, arena, found, never);
  Texts out;
  for (const Piece& piece : found) {
    out.emplace_back(piece.text);
  }
  return out;
}

std::string split_json(std::string_view pattern, std::string_view behavior, bool invert) {
  return fmt::format(R"({{"type": "Split", "pattern": {}, "behavior": "{}", "invert": {}}})",
                     pattern, behavior, invert);
}

TEST(PreTokenizerJson, Split) {
  const std::string_view dash = R"({"String": "-"})";
  EXPECT_EQ(pieces(split_json(dash, "Removed", false), "a-b"), (Texts{"a", "b"}));
  EXPECT_EQ(pieces(split_json(dash, "Removed", true), "a-b"), (Texts{"-"}));
  EXPECT_EQ(pieces(split_json(dash, "Isolated", false), "a-b"), (Texts{"a", "-", "b"}));
  EXPECT_EQ(pieces(split_json(dash, "MergedWithPrevious", false), "a-b"), (Texts{"a-", "b"}));
  EXPECT_EQ(pieces(split_json(dash, "MergedWithNext", false), "a-b"), (Texts{"a", "-b"}));
  EXPECT_EQ(pieces(split_json(R"({"Regex": "\\d"})", "Contiguous", false), "a12"),
            (Texts{"a", "12"}));
}

TEST(PreTokenizerJson, ByteLevel) {
  EXPECT_EQ(pieces(R"({"type": "ByteLevel", "add_prefix_space": false})", "a's é"),
            (Texts{"a", "'s", "ĠÃ©"}));
  EXPECT_EQ(pieces(R"({"type": "ByteLevel", "add_prefix_space": true, "use_regex": false})", "a b"),
            (Texts{"ĠaĠb"}));
}

TEST(PreTokenizerJson, Words) {
  EXPECT_EQ(pieces(R"({"type": "Whitespace"})", "a_1, é!"), (Texts{"a_1", ",", "é", "!"}));
  EXPECT_EQ(pieces(R"({"type": "WhitespaceSplit"})", " a, b"), (Texts{"a,", "b"}));
  EXPECT_EQ(pieces(R"({"type": "BertPreTokenizer"})", "a,b c"), (Texts{"a", ",", "b", "c"}));
  EXPECT_EQ(pieces(R"({"type": "Punctuation"})", "a.."), (Texts{"a", ".", "."}));
  EXPECT_EQ(pieces(R"({"type": "Punctuation", "behavior": "Contiguous"})", "a.."),
            (Texts{"a", ".."}));
  EXPECT_EQ(pieces(R"({"type": "Digits", "individual_digits": true})", "12"), (Texts{"1", "2"}));
  EXPECT_EQ(pieces(R"({"type": "Digits", "individual_digits": false})", "12"), (Texts{"12"}));
  EXPECT_EQ(pieces(R"({"type": "CharDelimiterSplit", "delimiter": "-"})", "a-b"),
            (Texts{"a", "b"}));
  EXPECT_EQ(pieces(R"({"type": "FixedLength", "length": 2})", "abc"), (Texts{"ab", "c"}));
  EXPECT_EQ(pieces(R"({"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"},
                      {"type": "Punctuation"}]})",
                   "a. b"),
            (Texts{"a", ".", "b"}));
}

TEST(PreTokenizerJson, Metaspace) {
  EXPECT_EQ(pieces(R"({"type": "Metaspace", "replacement": "▁"})", "a b"), (Texts{"▁a", "▁b"}));
  EXPECT_EQ(pieces(R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never",
                      "split": false})",
                   "a b"),
            (Texts{"a▁b"}));
  EXPECT_EQ(pieces(R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first"})", "a"),
            (Texts{"▁a"}));
  EXPECT_EQ(pieces(R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"})", "a"),
            (Texts{"▁a"}));
  EXPECT_EQ(pieces(R"({"type": "Metaspace", "replacement": "▁", "add_prefix_space": false})", "a"),
            (Texts{"a"}));
}

TEST(PreTokenizerJson, RefusesByName) {
  const auto refused = [](std::string_view pre_tokenizer, Code code, const std::string& message) {
    test::expect_refused({.pre_tokenizer = pre_tokenizer}, code, message);
  };
  refused(R"({"type": "UnicodeScripts"})", Code::kUnsupported,
          "pre_tokenizer.type: expected a known pre-tokenizer, found 'UnicodeScripts'");
  refused(split_json(R"({"String": "a"})", "Dropped", false), Code::kUnsupported,
          "pre_tokenizer.behavior: expected a known split behavior, found 'Dropped'");
  refused(R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "last"})",
          Code::kUnsupported,
          "pre_tokenizer.prepend_scheme: expected a known prepend scheme, found 'last'");
  refused(R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first",
             "add_prefix_space": false})",
          Code::kBadFile,
          "pre_tokenizer: expected a prepend_scheme that agrees with add_prefix_space, found an "
          "object");
  refused(R"({"type": "FixedLength", "length": 0})", Code::kBadFile,
          "pre_tokenizer.length: expected a positive length, found 0");
  std::string deep = R"({"type": "WhitespaceSplit"})";
  for (int i = 0; i < 20; ++i) {
    deep = fmt::format(R"({{"type": "Sequence", "pretokenizers": [{}]}})", deep);
  }
  EXPECT_THROW(test::tokenizer_of({.pre_tokenizer = deep}), Error);
}

}  // namespace
}  // namespace invar
