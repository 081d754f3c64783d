// Each decoder stage, whole and streamed; expected texts are the reference library's.
#include "text/token_decoder.h"

#include <gtest/gtest.h>

#include <random>

#include "formats/expect_error.h"
#include "text/utf8.h"

namespace invar {
namespace {

using Tokens = std::vector<std::string>;
using Broken = TokenDecoder::Broken;

std::string decoded(const std::vector<DecodeStage>& stages, const Tokens& tokens,
                    Broken broken = Broken::kReplaced) {
  const TokenDecoder decoder(stages);
  DecodeState state;
  std::string out;
  for (const std::string& token : tokens) {
    decoder.push(state, token, broken, out);
  }
  decoder.finish(state, broken, out);
  return out;
}

TEST(TokenDecoder, ByteLevel) {
  EXPECT_EQ(decoded({ByteLevelDecode{}}, {"Ġa", "Ã", "©", "<|中|>"}), " aé<|中|>");
  EXPECT_EQ(decoded({ByteLevelDecode{}}, {"Ã", "a", "Ã"}), "\uFFFDa\uFFFD");
  EXPECT_EQ(decoded({ByteLevelDecode{}}, {"Ã", "a", "Ã"}, Broken::kKept),
            "\xC3"
            "a\xC3");
}

TEST(TokenDecoder, ByteFallback) {
  const std::vector<DecodeStage> stages = {ByteFallbackDecode{}};
  EXPECT_EQ(decoded(stages, {"<0xC3>", "<0xA9>", "a"}), "éa");
  EXPECT_EQ(decoded(stages, {"<0xC3>", "<0xA9>", "<0xC3>", "a"}), "\uFFFD\uFFFD\uFFFDa");
  EXPECT_EQ(decoded(stages, {"<0xE4>"}), "\uFFFD");
  EXPECT_EQ(decoded(stages, {"<0xE4>"}, Broken::kKept), "\xE4");
  EXPECT_EQ(decoded(stages, {"<0x+5>", "<0x6g>", "<0x61", "<0x61>"}),
            "\x05<0x6g><0x61"
            "a");
}

TEST(TokenDecoder, StripAndFuse) {
  EXPECT_EQ(decoded({StripDecode{U' ', 1, 0}}, {" a", "  b"}), "a b");
  EXPECT_EQ(decoded({FuseDecode{}, StripDecode{U' ', 1, 0}}, {" a", " b"}), "a b");
  EXPECT_EQ(decoded({FuseDecode{}, StripDecode{U' ', 2, 0}}, {" ", " ", " a"}), " a");
  EXPECT_EQ(decoded({FuseDecode{}, StripDecode{U'▁', 0, 2}}, {"a▁", "▁▁", "b▁", "▁", "▁"}),
            "a▁▁▁b▁");
  EXPECT_EQ(decoded({StripDecode{U' ', 0, 1}}, {"a  ", "b"}), "a b");
}

TEST(TokenDecoder, ReplaceAndMetaspace) {
  EXPECT_EQ(decoded({ReplaceDecode{Regex::literal("▁", "f"), " "}}, {"▁a", "b▁"}), " ab ");
  EXPECT_EQ(decoded({ReplaceDecode{Regex::compile("a+", "f"), "x"}}, {"aab", "a"}), "xbx");
  EXPECT_EQ(decoded({MetaspaceDecode{"▁", true}}, {"▁a▁", "▁b"}), "a b");
  EXPECT_EQ(decoded({MetaspaceDecode{"▁", false}}, {"▁a▁", "▁b"}), " a  b");
}

TEST(TokenDecoder, WordPiece) {
  EXPECT_EQ(decoded({WordPieceDecode{"##", false}}, {"##a", "##b", "c", "."}), "##ab c .");
  EXPECT_EQ(decoded({WordPieceDecode{"##", true}}, {"do", "n't", "c", ".", "'s"}), "don't c.'s");
}

TEST(TokenDecoder, SuffixAndJoin) {
  EXPECT_EQ(decoded({SuffixDecode{"</w>"}}, {"a</w>", "b", "c</w>"}), "a bc");
  EXPECT_EQ(decoded({SuffixDecode{"</w>"}}, {}), "");
  EXPECT_EQ(decoded({JoinDecode{}}, {"a", "b", "c"}), "a b c");
  EXPECT_EQ(TokenDecoder().stages().size(), 1u);  // no decoder: a space between tokens
}

TEST(TokenDecoder, TokensComeOutAsSoonAsTheyAreFinal) {
  const TokenDecoder decoder({ReplaceDecode{Regex::literal("▁", "f"), " "}, ByteFallbackDecode{},
                              FuseDecode{}, StripDecode{U' ', 1, 0}});
  DecodeState state;
  std::string out;
  decoder.push(state, "▁a", Broken::kReplaced, out);
  EXPECT_EQ(out, "a");
  decoder.push(state, "<0xC3>", Broken::kReplaced, out);
  EXPECT_EQ(out, "a");
  decoder.push(state, "<0xA9>", Broken::kReplaced, out);
  decoder.push(state, "▁b", Broken::kReplaced, out);
  EXPECT_EQ(out, "aé b");
  decoder.finish(state, Broken::kReplaced, out);
  EXPECT_EQ(out, "aé b");
  decoder.push(state, "▁c", Broken::kReplaced, out);  // a new text after finish()
  EXPECT_EQ(out, "aé bc");
}

TEST(TokenDecoder, DoesNotGrowWithoutBound) {
  const DecodeStage eightfold = ReplaceDecode{Regex::literal("a", "t.json: decoder"), "aaaaaaaa"};
  const std::vector<DecodeStage> bomb(14, eightfold);
  expect_error([&] { decoded(bomb, {"a"}); }, Code::kExhausted,
               "t.json: decoder: expected at most 65600 bytes from a text of 1 bytes, found 65608");
  expect_error(
      [&] {
        decoded({FuseDecode{}, bomb[0], bomb[1], bomb[2], bomb[3], bomb[4]}, Tokens(3, "a"));
      },
      Code::kExhausted,
      "t.json: decoder: expected at most 65728 bytes from a text of 3 bytes, found 65736");
}

TEST(TokenDecoder, MiddleBytes) {
  const auto middle = [](std::vector<DecodeStage> stages, std::string_view token) {
    return TokenDecoder(std::move(stages)).middle_bytes(token);
  };
  EXPECT_EQ(middle({ByteLevelDecode{}}, "ĠÃ"), " \xC3");
  const std::vector<DecodeStage> llama = {ReplaceDecode{Regex::literal("▁", "f"), " "},
                                          ByteFallbackDecode{}, FuseDecode{},
                                          StripDecode{U' ', 1, 0}};
  EXPECT_EQ(middle(llama, "▁a"), " a");
  EXPECT_EQ(middle(llama, "<0xC3>"), "\xC3");
  EXPECT_EQ(middle({MetaspaceDecode{"▁", true}}, "▁a"), " a");
  EXPECT_EQ(middle({WordPieceDecode{"##", true}}, "a"), " a");
  EXPECT_EQ(middle({WordPieceDecode{"##", true}}, "##a"), "a");
  EXPECT_EQ(middle({SuffixDecode{"</w>"}}, "a</w>"), "a ");
}

}  // namespace
}  // namespace invar
