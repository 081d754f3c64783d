// Each pre-tokenizer step, and steps in sequence.
#include "text/pre_tokenizer.h"

#include <gtest/gtest.h>

#include "formats/expect_error.h"
#include "text/char_class.h"

namespace invar {
namespace {

using Texts = std::vector<std::string>;

Texts pieces_of(const std::vector<PreTokenizerStep>& steps, std::string_view text,
                bool at_start = true) {
  TextArena arena(GrowthLimit("f", "pre_tokenizer", text.size()));
  std::vector<Piece> pieces = {{text, at_start}};
  StopCheck never;
  pre_tokenize(steps, arena, pieces, never);
  Texts out;
  for (const Piece& piece : pieces) {
    out.emplace_back(piece.text);
  }
  return out;
}

TEST(PreTokenizer, PatternsAndCharacters) {
  EXPECT_EQ(pieces_of({PatternSplit{Regex::compile(R"(\d)", "f"), {}}}, "a12"),
            (Texts{"a", "1", "2"}));
  EXPECT_EQ(pieces_of({CharacterSplit{is_numeric, {SplitBehavior::kContiguous, false}}}, "a12b"),
            (Texts{"a", "12", "b"}));
  EXPECT_EQ(pieces_of({CharacterSplit{is_whitespace, {SplitBehavior::kRemoved, false}}}, " a\nb "),
            (Texts{"a", "b"}));
  EXPECT_EQ(pieces_of({DelimiterSplit{U'é'}}, "aébé"), (Texts{"a", "b"}));
  EXPECT_EQ(pieces_of({FixedLengthSplit{2}}, "aébcd"), (Texts{"aé", "bc", "d"}));
}

TEST(PreTokenizer, SpacesAndBytes) {
  EXPECT_EQ(pieces_of({PrefixSpace{}}, "a"), (Texts{" a"}));
  EXPECT_EQ(pieces_of({PrefixSpace{}}, " a"), (Texts{" a"}));
  EXPECT_EQ(pieces_of({SpellBytes{}}, " é"), (Texts{"ĠÃ©"}));
}

TEST(PreTokenizer, Metaspace) {
  const auto metaspace = [](PrependScheme scheme, bool split) {
    return std::vector<PreTokenizerStep>{MetaspaceSplit{"▁", scheme, split}};
  };
  EXPECT_EQ(pieces_of(metaspace(PrependScheme::kAlways, true), "a  b"), (Texts{"▁a", "▁", "▁b"}));
  EXPECT_EQ(pieces_of(metaspace(PrependScheme::kAlways, false), "a b"), (Texts{"▁a▁b"}));
  EXPECT_EQ(pieces_of(metaspace(PrependScheme::kAlways, true), " a"), (Texts{"▁a"}));
  EXPECT_EQ(pieces_of(metaspace(PrependScheme::kNever, true), "a b"), (Texts{"a", "▁b"}));
  EXPECT_EQ(pieces_of(metaspace(PrependScheme::kFirst, true), "a"), (Texts{"▁a"}));
  EXPECT_EQ(pieces_of(metaspace(PrependScheme::kFirst, true), "a", false), (Texts{"a"}));
}

TEST(PreTokenizer, StepsFollowOneAnother) {
  EXPECT_EQ(pieces_of({CharacterSplit{is_whitespace, {SplitBehavior::kRemoved, false}},
                       CharacterSplit{is_punctuation, {}}, SpellBytes{}},
                      "é, b"),
            (Texts{"Ã©", ",", "b"}));
  EXPECT_EQ(pieces_of({}, "a b"), (Texts{"a b"}));
}

TEST(PreTokenizer, DoesNotGrowWithoutBound) {
  const std::vector<PreTokenizerStep> doubling(20, SpellBytes{});
  expect_error([&] { pieces_of(doubling, "\u00E9"); }, Code::kExhausted,
               "f: pre_tokenizer: expected at most 65664 bytes from a text of 2 bytes, found "
               "131068");
}

}  // namespace
}  // namespace invar
