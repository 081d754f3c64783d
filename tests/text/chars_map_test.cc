// The precompiled character map: matches, and maps that lie.
#include "text/chars_map.h"

#include <gtest/gtest.h>

#include <random>

#include "formats/expect_error.h"
#include "text/charsmap_builder.h"
#include "text/normalizer.h"

namespace invar {
namespace {

TEST(CharsMap, FindsShortestAndLongestKeys) {
  const CharsMap map = CharsMap::parse(test::small_charsmap(), "f");
  EXPECT_EQ(map.shortest_match("abc")->replacement, "X");
  EXPECT_EQ(map.shortest_match("abc")->size, 1u);
  EXPECT_EQ(map.longest_match("abc")->replacement, "YZ");
  EXPECT_EQ(map.longest_match("abc")->size, 2u);
  EXPECT_EQ(map.longest_match("ac")->replacement, "X");
  EXPECT_EQ(map.longest_match("\x01")->replacement, "");
  EXPECT_FALSE(map.longest_match("b").has_value());
  EXPECT_FALSE(map.longest_match("").has_value());
  EXPECT_FALSE(map.longest_match(std::string_view("\0", 1)).has_value());
}

TEST(CharsMap, NormalizersUseIt) {
  const auto map = std::make_shared<const CharsMap>(CharsMap::parse(test::small_charsmap(), "f"));
  StopCheck never;
  std::string text = "ab\x01 c";
  normalize_text({PrecompiledStep{map}}, "f", text, never);
  EXPECT_EQ(text, "Xb c");  // by character, shortest key
  text = "ab\x01 c";
  normalize_text({SentencePieceStep{map, true, true}}, "f", text, never);
  EXPECT_EQ(text, "▁YZ▁c");
  text = "a\u0301";  // a cluster of three bytes whose shortest key is its first
  normalize_text({PrecompiledStep{map}}, "f", text, never);
  EXPECT_EQ(text, "X");
}

TEST(CharsMap, RefusesSizesThatDoNotFit) {
  const std::string expected = "f: precompiled_charsmap: expected a trie within ";
  const auto parse = [](std::string_view blob) { return [blob] { CharsMap::parse(blob, "f"); }; };
  expect_error(parse(""), Code::kBadFile, expected + "0 bytes, found 0");
  expect_error(parse(std::string_view("\0\0\0\0a\0", 6)), Code::kBadFile,
               expected + "6 bytes, found 0");
  expect_error(parse(std::string_view("\x08\0\0\0aaaa", 8)), Code::kBadFile,
               expected + "8 bytes, found 8");
  expect_error(parse(std::string_view("\x03\0\0\0aaaa", 8)), Code::kBadFile,
               expected + "8 bytes, found 3");
  expect_error(parse(std::string_view("\x04\0\0\0aaaa", 8)), Code::kBadFile,
               "f: precompiled_charsmap: expected texts that end in a zero byte");
}

TEST(CharsMap, DamagedTriesOnlyMatchLess) {
  std::mt19937 random(9);
  for (int round = 0; round < 300; ++round) {
    std::string blob = test::small_charsmap();
    for (int i = 0; i < 40; ++i) {
      blob[4 + random() % (blob.size() - 5)] = static_cast<char>(random());
    }
    const CharsMap map = CharsMap::parse(blob, "f");
    for (int byte = 1; byte < 256; ++byte) {
      const std::string text = {static_cast<char>(byte), 'b', 'a'};
      if (const auto match = map.longest_match(text)) {
        EXPECT_LE(match->size, text.size());
        EXPECT_LE(match->replacement.size(), blob.size());
      }
    }
  }
}

}  // namespace
}  // namespace invar
