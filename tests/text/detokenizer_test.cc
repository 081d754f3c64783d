// Streaming: no half characters, and all pieces together are what decode() gives.
#include "text/detokenizer.h"

#include <gtest/gtest.h>

#include <random>

#include "text/byte_alphabet.h"
#include "text/tokenizer_parts.h"
#include "text/utf8.h"

namespace invar {
namespace {

// A byte-level vocabulary of the 256 bytes and one special token, id 256.
Tokenizer byte_tokenizer() {
  auto parts = std::make_unique<TokenizerParts>();
  for (int32_t byte = 0; byte < 256; ++byte) {
    std::string token;
    append_utf8(byte_character(static_cast<uint8_t>(byte)), token);
    EXPECT_TRUE(parts->vocabulary.add(byte, token));
  }
  AddedToken end;
  end.content = "<end>";
  end.id = 256;
  end.special = true;
  parts->added = AddedTokens({end}, {}, "f");
  BpeOptions options;
  options.byte_level = true;
  parts->model.emplace<Bpe>(parts->vocabulary, MergeTable(0), options);
  parts->keeps_broken_bytes = true;
  parts->decoder = TokenDecoder({ByteLevelDecode{}});
  return Tokenizer(std::move(parts));
}

TEST(Detokenizer, HoldsBytesUntilACharacterIsWhole) {
  const Tokenizer tokenizer = byte_tokenizer();
  Detokenizer stream(tokenizer, true);
  EXPECT_EQ(stream.push(0xF0), "");
  EXPECT_EQ(stream.push(0x9F), "");
  EXPECT_EQ(stream.push(0x98), "");
  EXPECT_EQ(stream.push(0x80), "\U0001F600");
  EXPECT_EQ(stream.push('a'), "a");
  EXPECT_EQ(stream.push(256), "");
  EXPECT_EQ(stream.flush(), "");
}

TEST(Detokenizer, BrokenBytesBecomeReplacementCharacters) {
  const Tokenizer tokenizer = byte_tokenizer();
  Detokenizer stream(tokenizer, false);
  EXPECT_EQ(stream.push(0xE2), "");
  EXPECT_EQ(stream.push('x'), "\uFFFDx");
  EXPECT_EQ(stream.push(0xE2), "");
  EXPECT_EQ(stream.push(0x82), "");
  EXPECT_EQ(stream.flush(), "\uFFFD");
  EXPECT_EQ(stream.push(256), "<end>");
  EXPECT_EQ(stream.push(999), "");  // no token
}

TEST(Detokenizer, EqualsDecodeForRandomIds) {
  const Tokenizer tokenizer = byte_tokenizer();
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<int32_t> ids(random() % 40);
    for (int32_t& id : ids) {
      id = static_cast<int32_t>(random() % 258);
    }
    for (const bool skip_special : {false, true}) {
      Detokenizer stream(tokenizer, skip_special);
      std::string text;
      for (const int32_t id : ids) {
        const std::string piece = stream.push(id);
        EXPECT_TRUE(utf8_is_valid(piece));
        text += piece;
      }
      text += stream.flush();
      EXPECT_EQ(text, tokenizer.decode(ids, skip_special));
    }
  }
}

TEST(Detokenizer, ArbitraryBytesSurviveEncodingAndDecoding) {
  const Tokenizer tokenizer = byte_tokenizer();
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    std::string bytes(random() % 30, '\0');
    for (char& byte : bytes) {
      byte = static_cast<char>(random());
    }
    EXPECT_EQ(tokenizer.decode_bytes(tokenizer.encode(bytes), false), bytes);
    std::string repaired;
    append_lossy(bytes, repaired);
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(bytes), false), repaired);
  }
}

}  // namespace
}  // namespace invar
