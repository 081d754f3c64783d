// Tokenizers from GGUF files: the published vocabularies with their makers' ids.
#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "formats/expect_error.h"
#include "formats/gguf.h"
#include "formats/gguf_writer.h"
#include "text/charsmap_builder.h"
#include "text/shared_files.h"
#include "text/tokenizer.h"

namespace invar {
namespace {

std::vector<std::string> split_texts(const std::string& all) {
  const std::string separator = "\n__ggml_vocab_test__\n";
  std::vector<std::string> texts;
  size_t at = 0;
  for (size_t end = all.find(separator); end != std::string::npos; end = all.find(separator, at)) {
    texts.push_back(all.substr(at, end - at));
    at = end + separator.size();
  }
  return texts;
}

class PublishedVocabulary : public testing::TestWithParam<const char*> {};

TEST_P(PublishedVocabulary, GivesThePublishedIds) {
  const std::string name = std::string("ggml-vocab-") + GetParam() + ".gguf";
  const std::filesystem::path folder = test::shared_text() / "gguf-vocab";
  if (!std::filesystem::exists(folder / (name + ".xz"))) {
    GTEST_SKIP() << "no " << folder;
  }
  const test::TemporaryFolder temporary;
  const GgufFile file = GgufFile::open(temporary.unpack(folder / (name + ".xz")));
  const Tokenizer tokenizer = tokenizer_from_gguf(file);
  const std::vector<std::string> texts = split_texts(test::read_text(folder / (name + ".inp")));
  std::istringstream lines(test::read_text(folder / (name + ".out")));
  ASSERT_GT(texts.size(), 40u);
  for (const std::string& text : texts) {
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    std::istringstream words(line);
    const std::vector<int32_t> expected{std::istream_iterator<int32_t>(words), {}};
    EXPECT_EQ(tokenizer.encode(text), expected) << "'" << text << "'";
  }
}

INSTANTIATE_TEST_SUITE_P(All, PublishedVocabulary,
                         testing::Values("bert-bge", "deepseek-coder", "falcon", "gpt-2",
                                         "llama-spm", "phi-3", "starcoder"));

using Ids = std::vector<int32_t>;
using Texts = std::vector<std::string>;

// A vocabulary under construction: types as in the files (1 normal, 2 unknown, 3 control, 4 user
// defined, 6 byte).
struct SmallGguf {
  GgufWriter writer;
  Texts tokens;
  std::vector<int32_t> types;
  std::vector<float> scores;

  explicit SmallGguf(std::string_view model) { writer.add_string("tokenizer.ggml.model", model); }
  void add(std::string_view token, float score = 0, int32_t type = 1) {
    tokens.emplace_back(token);
    scores.push_back(score);
    types.push_back(type);
  }
  std::string bytes(bool with_scores = true) {
    GgufWriter complete = writer;
    complete.add_strings("tokenizer.ggml.tokens", tokens);
    complete.add_array<int32_t>("tokenizer.ggml.token_type", types);
    if (with_scores) {
      complete.add_array<float>("tokenizer.ggml.scores", scores);
    }
    return complete.build();
  }
};

Tokenizer tokenizer_of(const std::string& bytes) {
  return tokenizer_from_gguf(GgufFile::parse("t.gguf", bytes_of(bytes)));
}

SmallGguf byte_level(std::string_view pre) {
  SmallGguf gguf("gpt2");
  gguf.writer.add_string("tokenizer.ggml.pre", pre);
  for (const char* token : {"a", "b", "Ġ", "ab", "Ã", "©"}) {
    gguf.add(token);
  }
  gguf.add("<|im_end|>", 0, 3);
  gguf.add("é!", 0, 4);
  gguf.writer.add_strings("tokenizer.ggml.merges", Texts{"a b"});
  return gguf;
}

TEST(TokenizerGguf, ByteLevel) {
  SmallGguf gguf = byte_level("gpt-2");
  gguf.writer.add<uint32_t>("tokenizer.ggml.bos_token_id", 3);
  gguf.writer.add<uint32_t>("tokenizer.ggml.eos_token_id", 6);
  gguf.writer.add<uint32_t>("tokenizer.ggml.padding_token_id", UINT32_MAX);
  gguf.writer.add<bool>("tokenizer.ggml.add_bos_token", true);
  const Tokenizer tokenizer = tokenizer_of(gguf.bytes());
  EXPECT_EQ(tokenizer.encode("ab a\xC3"), (Ids{3, 2, 0, 4}));
  EXPECT_EQ(tokenizer.encode("a", {.add_special_tokens = true}), (Ids{3, 0}));
  EXPECT_EQ(tokenizer.encode("<|im_end|>é!"), (Ids{6, 7}));
  EXPECT_EQ(tokenizer.decode(Ids{0, 7, 6, 4, 5}, true), "aé!é");
  EXPECT_EQ(tokenizer.special_ids().pad, std::nullopt);
  EXPECT_EQ(tokenizer.end_of_generation_ids(), (Ids{6}));
  EXPECT_TRUE(tokenizer.is_special(6));
  EXPECT_FALSE(tokenizer.is_special(7));
}

TEST(TokenizerGguf, SomePreTokenizersAddBosOrCompose) {
  SmallGguf llama = byte_level("llama-bpe");
  llama.writer.add<uint32_t>("tokenizer.ggml.bos_token_id", 3);
  EXPECT_EQ(tokenizer_of(llama.bytes()).encode("a", {.add_special_tokens = true}), (Ids{3, 0}));
  EXPECT_EQ(tokenizer_of(byte_level("llama-bpe").bytes()).encode("a", {.add_special_tokens = true}),
            (Ids{0}));  // no such token: nothing is added
  EXPECT_EQ(tokenizer_of(byte_level("qwen2").bytes()).encode("e\u0301"), (Ids{4, 5}));
}

TEST(TokenizerGguf, TokensMayRepeatOrBeEmpty) {
  SmallGguf gguf = byte_level("gpt-2");
  gguf.add("a");
  gguf.add("");
  gguf.add("\xFF");
  const Tokenizer tokenizer = tokenizer_of(gguf.bytes());
  EXPECT_EQ(tokenizer.id_of("a"), 0);
  EXPECT_EQ(tokenizer.token_text(8), "a");
  EXPECT_EQ(tokenizer.token_text(9), "");
  EXPECT_EQ(tokenizer.token_text(10), "\uFFFD");
  EXPECT_EQ(tokenizer.vocab_size(), 11);
}

SmallGguf sentence_piece() {
  SmallGguf gguf("llama");
  gguf.add("<unk>", 0, 2);
  gguf.add("<s>", 0, 3);
  gguf.add("</s>", 0, 3);
  gguf.add("▁", -1);
  gguf.add("a", -2);
  gguf.add("▁a", -3);
  gguf.add("<0xC3>", 0, 6);
  gguf.add("<0xA9>", 0, 6);
  gguf.writer.add<uint32_t>("tokenizer.ggml.bos_token_id", 1);
  gguf.writer.add<uint32_t>("tokenizer.ggml.eos_token_id", 2);
  gguf.writer.add<uint32_t>("tokenizer.ggml.unknown_token_id", 0);
  return gguf;
}

TEST(TokenizerGguf, SentencePiece) {
  const Tokenizer tokenizer = tokenizer_of(sentence_piece().bytes());
  EXPECT_EQ(tokenizer.encode("a aéx"), (Ids{5, 5, 6, 7, 0}));
  EXPECT_EQ(tokenizer.encode("a<s>a", {.add_special_tokens = true}), (Ids{1, 5, 1, 5}));
  EXPECT_EQ(tokenizer.decode(Ids{1, 5, 5, 6, 7}, true), "a aé");
  EXPECT_EQ(tokenizer.token_bytes(6), "\xC3");
  SmallGguf plain = sentence_piece();
  plain.writer.add<bool>("tokenizer.ggml.add_space_prefix", false);
  EXPECT_EQ(tokenizer_of(plain.bytes()).encode("a a"), (Ids{4, 5}));
  EXPECT_EQ(tokenizer_of(plain.bytes()).decode(Ids{5}, true), " a");
}

TEST(TokenizerGguf, Phi3TokensSwallowTheSpaceAfterThem) {
  SmallGguf gguf = sentence_piece();
  gguf.writer.add_string("general.name", "Phi-3 mini");
  const Tokenizer tokenizer = tokenizer_of(gguf.bytes());
  EXPECT_EQ(tokenizer.encode("</s> \n"), (Ids{2}));
  EXPECT_EQ(tokenizer.encode("<s> "), (Ids{1, 3, 3}));
}

TEST(TokenizerGguf, CharactersWithMerges) {
  for (const bool as_model : {true, false}) {
    SmallGguf gguf(as_model ? "gemma4" : "gpt2");
    if (!as_model) {
      gguf.writer.add_string("tokenizer.ggml.pre", "gemma4");
    }
    for (const char* token : {"▁", "a", "▁a", "\n", "\n\n", "<0xC3>", "<0xA9>"}) {
      gguf.add(token);
    }
    gguf.writer.add_strings("tokenizer.ggml.merges", Texts{"▁ a"});
    const Tokenizer tokenizer = tokenizer_of(gguf.bytes());
    EXPECT_EQ(tokenizer.encode("a a\n\né"), (Ids{1, 2, 4, 5, 6}));
    EXPECT_EQ(tokenizer.decode(Ids{1, 2, 4, 5, 6}, true), "a a\n\né");
  }
}

TEST(TokenizerGguf, WordPiece) {
  SmallGguf gguf("bert");
  for (const char* token : {"[UNK]", "[CLS]", "[SEP]"}) {
    gguf.add(token, 0, 3);
  }
  for (const char* token : {"▁un", "able", "▁e", "[x]"}) {
    gguf.add(token);
  }
  const Tokenizer tokenizer = tokenizer_of(gguf.bytes());
  EXPECT_EQ(tokenizer.encode("Unable É zz"), (Ids{3, 4, 5, 0}));
  EXPECT_EQ(tokenizer.encode("un", {.add_special_tokens = true}), (Ids{1, 3, 2}));
  EXPECT_EQ(tokenizer.decode(Ids{3, 4, 5}, true), "unable e");
  EXPECT_EQ(tokenizer.id_of("##able"), 4);
  EXPECT_EQ(tokenizer.id_of("[x]"), 6);
  SmallGguf cased = gguf;
  cased.writer.add<bool>("tokenizer.ggml.normalizer.lowercase", false);
  EXPECT_EQ(tokenizer_of(cased.bytes()).encode("Un"), (Ids{0}));
}

TEST(TokenizerGguf, Unigram) {
  SmallGguf gguf("t5");
  gguf.add("<pad>", 0, 3);
  gguf.add("</s>", 0, 3);
  gguf.add("<unk>", 0, 2);
  gguf.add("▁", -2);
  gguf.add("▁YZ", -3);
  gguf.add("X", -4);
  gguf.add("<x>", -50, 4);
  gguf.writer.add<uint32_t>("tokenizer.ggml.eos_token_id", 1);
  gguf.writer.add<uint32_t>("tokenizer.ggml.unknown_token_id", 2);
  gguf.writer.add<bool>("tokenizer.ggml.add_space_prefix", true);
  gguf.writer.add<bool>("tokenizer.ggml.remove_extra_whitespaces", true);
  const std::string map = test::small_charsmap();
  gguf.writer.add_array<uint8_t>("tokenizer.ggml.precompiled_charsmap",
                                 std::vector<uint8_t>(map.begin(), map.end()));
  const Tokenizer tokenizer = tokenizer_of(gguf.bytes());
  EXPECT_EQ(tokenizer.encode("ab  a?", {.add_special_tokens = true}), (Ids{4, 3, 5, 2, 1}));
  EXPECT_EQ(tokenizer.encode("ab<x>"), (Ids{4, 6}));
  EXPECT_EQ(tokenizer.decode(Ids{4, 3, 5, 1}, true), "YZ X");
}

TEST(TokenizerGguf, RefusesByName) {
  const auto refused = [](SmallGguf gguf, Code code, const std::string& message) {
    expect_error([&] { tokenizer_of(gguf.bytes()); }, code, "t.gguf: key '" + message);
  };
  SmallGguf other("rwkv");
  other.add("a");
  refused(other, Code::kUnsupported,
          "tokenizer.ggml.model': expected a known kind of vocabulary, found 'rwkv'");
  refused(byte_level("nonsense"), Code::kUnsupported,
          "tokenizer.ggml.pre': expected a known pre-tokenizer, found 'nonsense'");
  refused(SmallGguf("gpt2"), Code::kBadFile,
          "tokenizer.ggml.tokens': expected 1 to 8388608 tokens, found 0");
  SmallGguf types = byte_level("gpt-2");
  types.types.pop_back();
  refused(types, Code::kBadFile,
          "tokenizer.ggml.token_type': expected 8 elements, one a token, found 7");
  SmallGguf id = byte_level("gpt-2");
  id.writer.add<uint32_t>("tokenizer.ggml.eos_token_id", 8);
  refused(id, Code::kBadFile, "tokenizer.ggml.eos_token_id': expected an id below 8, found 8");
  SmallGguf bos = byte_level("gpt-2");
  bos.writer.add<bool>("tokenizer.ggml.add_bos_token", true);
  refused(bos, Code::kBadFile,
          "tokenizer.ggml.bos_token_id': expected a token id, since the file asks to add it, found "
          "none");
  SmallGguf scores = sentence_piece();
  scores.scores[4] = std::numeric_limits<float>::quiet_NaN();
  refused(scores, Code::kBadFile, "tokenizer.ggml.scores': expected finite scores, found nan");
  SmallGguf merges("gpt2");
  merges.add("a");
  merges.writer.add_strings("tokenizer.ggml.merges", Texts{"a"});
  refused(merges, Code::kBadFile,
          "tokenizer.ggml.merges': merge 0: expected two tokens that form a token, found 'a' and "
          "''");
  EXPECT_THROW(tokenizer_of(sentence_piece().bytes(false)), Error);
}

}  // namespace
}  // namespace invar
