// Models of tokenizer.json: their options and what is refused.
#include <gtest/gtest.h>

#include "text/tokenizer_builder.h"

namespace invar {
namespace {

using Ids = std::vector<int32_t>;

Ids encode(std::string_view model, std::string_view text) {
  return test::tokenizer_of({.model = model}).encode(text);
}

TEST(ModelJson, Bpe) {
  EXPECT_EQ(
      encode(R"({"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]})", "aab"),
      (Ids{0, 2}));
  EXPECT_EQ(encode(R"({"vocab": {"a": 0, " ": 1, "a ": 2}, "merges": [["a", " "]]})", "a a"),
            (Ids{2, 0}));
  EXPECT_EQ(encode(R"({"type": "BPE", "vocab": {"a": 0, "?": 1}, "merges": [], "unk_token": "?",
                      "fuse_unk": true})",
                   "axxa"),
            (Ids{0, 1, 0}));
  EXPECT_EQ(encode(R"({"type": "BPE", "vocab": {"<0x78>": 0}, "merges": [],
                      "byte_fallback": true})",
                   "x"),
            (Ids{0}));
  EXPECT_EQ(
      encode(R"({"type": "BPE", "vocab": {"xyz": 4}, "merges": [], "ignore_merges": true})", "xyz"),
      (Ids{4}));
  EXPECT_EQ(encode(R"({"type": "BPE", "vocab": {"a": 0, "@b": 1, "ab": 2},
                      "merges": [["a", "@b"]], "continuing_subword_prefix": "@",
                      "dropout": 0.0})",
                   "ab"),
            (Ids{2}));
  EXPECT_EQ(encode(R"({"type": "BPE", "vocab": {"a": 0, "b.": 1}, "merges": [],
                      "end_of_word_suffix": "."})",
                   "ab"),
            (Ids{0, 1}));
}

TEST(ModelJson, Others) {
  EXPECT_EQ(
      encode(R"({"type": "Unigram", "unk_id": 0, "vocab": [["?", 0], ["a", -1], ["aa", -1.5]]})",
             "aax"),
      (Ids{2, 0}));
  EXPECT_EQ(encode(R"({"vocab": [["a", -1], ["a", -2], ["", 0], ["<0x78>", -5]],
                      "byte_fallback": true})",
                   "ax"),
            (Ids{1, 3}));  // of equal texts the last is matched
  EXPECT_EQ(
      encode(R"({"type": "WordPiece", "unk_token": "?", "vocab": {"?": 0, "a": 1, "##b": 2}})",
             "ab"),
      (Ids{1, 2}));
  EXPECT_EQ(encode(R"({"vocab": {"?": 0, "a": 1, "+a": 2}, "unk_token": "?",
                      "continuing_subword_prefix": "+", "max_input_chars_per_word": 2})",
                   "aaa"),
            (Ids{0}));
  EXPECT_EQ(encode(R"({"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "ab": 1}})", "ab"),
            (Ids{1}));
  EXPECT_EQ(encode(R"({"unk_token": "?", "vocab": {"?": 0, "ab": 1}})", "x"), (Ids{0}));
}

TEST(ModelJson, RefusesByNameAndPlace) {
  const auto refused = [](std::string_view model, Code code, const std::string& message) {
    test::expect_refused({.model = model}, code, message);
  };
  refused(R"({"type": "Lattice"})", Code::kUnsupported,
          "model.type: expected a known model, found 'Lattice'");
  refused(R"({"type": "BPE", "vocab": {"a": -1}, "merges": []})", Code::kBadFile,
          "model.vocab: token 'a': expected an id from 0 to 8388607, found -1");
  refused(R"({"type": "BPE", "vocab": {"a": "0"}, "merges": []})", Code::kBadFile,
          "model.vocab: token 'a': expected an id from 0 to 8388607, found '0'");
  refused(R"({"type": "BPE", "vocab": {"a": 0, "b": 0}, "merges": []})", Code::kBadFile,
          "model.vocab: token 'b': expected a token and an id once each, found id 0 given to 'a' "
          "as well");
  refused(R"({"type": "BPE", "vocab": {"a": 0, "a": 1}, "merges": []})", Code::kBadFile,
          "model.vocab: token 'a': expected a token and an id once each, found it twice, with the "
          "ids 0 and 1");
  refused(R"({"type": "BPE", "vocab": {"a": 0, "a": 0}, "merges": []})", Code::kBadFile,
          "model.vocab: token 'a': expected a token and an id once each, found it twice, with the "
          "ids 0 and 0");
  refused(R"({"type": "BPE", "vocab": {"a": 0}, "merges": ["a"]})", Code::kBadFile,
          "model.merges[0]: expected two tokens, found 'a'");
  refused(R"({"type": "BPE", "vocab": {"a": 0}, "merges": ["a a a"]})", Code::kBadFile,
          "model.merges[0]: expected two tokens, found 'a a a'");
  refused(R"({"type": "BPE", "vocab": {"a": 0}, "merges": [["a", 1]]})", Code::kBadFile,
          "model.merges[0]: expected two tokens, found an array");
  refused(R"({"type": "BPE", "vocab": {"a": 0}, "merges": ["a a"]})", Code::kBadFile,
          "model.merges: merge 0: expected two tokens that form a token, found 'a' and 'a'");
  refused(R"({"type": "BPE", "vocab": {"a": 0}, "merges": [], "dropout": 0.1})", Code::kUnsupported,
          "model.dropout: expected 0, since merging is never random, found 0.1");
  refused(R"({"type": "BPE", "vocab": {"a": 0}, "merges": [], "unk_token": "?"})", Code::kBadFile,
          "model.unk_token: expected a token of the vocabulary, found '?'");
  refused(R"({"type": "Unigram", "vocab": [["a"]]})", Code::kBadFile,
          "model.vocab[0]: expected a token and its score, found an array");
  refused(R"({"type": "Unigram", "vocab": [["a", 0]], "unk_id": 1})", Code::kBadFile,
          "model.unk_id: expected an id of the vocabulary, found 1");
  refused(R"({"type": "WordPiece", "vocab": {}, "max_input_chars_per_word": 10001})",
          Code::kBadFile, "model.max_input_chars_per_word: expected 0 to 10000, found 10001");
}

}  // namespace
}  // namespace invar
